// Terminals that are joined, for tests: members of one namespace with pages of their own.
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import { SessionUid } from '@bowline/contract/schemas/common'
import { onTestFinished } from 'vitest'
import type { BootedServer, Person } from '../../testing/boot.ts'
import { type Page, openPage } from '../web/testing.ts'

/** A member of somebody's namespace, signed in there. */
export async function memberOf(
  server: BootedServer,
  { tenant }: Person,
  username: string,
  role: Role,
): Promise<Person> {
  const person = await server.addPerson(username)
  await server.addMember(tenant, person.id, role)
  const { body: auth } = await person.client.call(operations.auth.switchNamespace, { params: { tenant } })
  return { ...person, tenant, auth, client: server.client(auth.token) }
}

/** A page that asks to join a session. @param at server that it connects to; default: that of the call */
export async function askingPage(
  server: BootedServer,
  person: Person,
  session: string,
  { at = server, ...options }: { at?: BootedServer; takes?: boolean; from?: string } = {},
): Promise<Page> {
  const params = { uid: SessionUid.parse(session) }
  const { body } = await person.client.call(operations.sessions.join, { params })
  const page = await openPage(at, options)
  page.say({ type: 'join', ticket: body.ticket })
  onTestFinished(() => page.socket.terminate())
  return page
}

/** The person in a terminal lets in whoever asks next. @returns id of the guest */
export async function admitNext(owner: Page, screen = '', shown = 0): Promise<string> {
  const guest = await nextAsking(owner)
  owner.say({ type: 'admit', guest, screen, shown })
  return guest
}

/** Id of the guest who asks next. */
export async function nextAsking(owner: Page): Promise<string> {
  for (;;) {
    const [first] = (await owner.next('sharing')).asking
    if (first) return first.guest
  }
}
