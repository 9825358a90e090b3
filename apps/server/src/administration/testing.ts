// Administrators of the server and what they do, for tests.
import { operations } from '@bowline/contract/operations'
import type { ManualClock } from '@bowline/base/testing/manual-clock'
import type { TestClient } from '@bowline/ssh/testing/test-client'
import { until } from '@bowline/testkit/until'
import { type Answer, answerOf } from '../held-logins/testing.ts'
import type { BootedServer, Person } from '../testing/boot.ts'

const { administration } = operations

/** A person who administers the server. */
export async function newAdministrator(server: BootedServer, username: string): Promise<Person> {
  const person = await server.addPerson(username)
  const users = server.database.system().updateTable('users')
  await users.set({ is_instance_admin: true }).where('id', '=', person.id).execute()
  return person
}

export const disable = ({ client }: Person, { id }: Pick<Person, 'id'>) =>
  client.call(administration.disablePerson, { params: { user: id } })

export const enable = ({ client }: Person, { id }: Pick<Person, 'id'>) =>
  client.call(administration.enablePerson, { params: { user: id } })

export const disableNamespace = ({ client }: Person, { tenant }: Pick<Person, 'tenant'>) =>
  client.call(administration.disableNamespace, { params: { namespace: tenant } })

export const enableNamespace = ({ client }: Person, { tenant }: Pick<Person, 'tenant'>) =>
  client.call(administration.enableNamespace, { params: { namespace: tenant } })

/** A token of a person for another namespace. */
export async function inNamespace(server: BootedServer, person: Person, { tenant }: Pick<Person, 'tenant'>) {
  const { body } = await person.client.call(operations.auth.switchNamespace, { params: { tenant } })
  return server.client(body.token)
}

/** Opens a live stream. @returns resolves at its end */
export async function liveStream(client: Person['client']): Promise<{ readonly ended: Promise<string> }> {
  const response = await client.open(operations.events.stream, {})
  const reader = response.body?.getReader()
  if (!reader) throw new Error('the stream has no body')
  const read = async (): Promise<string> => {
    while (!(await reader.read()).done);
    return 'ended'
  }
  return { ended: read() }
}

/** The next answer to an ssh client; refusals are paced by the clock. */
export async function answered(clock: ManualClock, client: TestClient): Promise<Answer> {
  let answer: Answer | undefined
  const asked = answerOf(client).then((one) => (answer = one))
  await until(() => {
    if (answer === undefined) clock.advance(100)
    return Promise.resolve(answer)
  })
  return asked
}

/** How the newest session of a namespace has ended, once it has. */
export async function endOfSession(
  server: BootedServer,
  { tenant }: Pick<Person, 'tenant'>,
): Promise<string | undefined> {
  const row = await server.database
    .system()
    .selectFrom('sessions')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .orderBy('started_at', 'desc')
    .orderBy('uid')
    .limit(1)
    .executeTakeFirst()
  return row?.closed_at ? `${row.cause_by} ${row.cause_reason}` : undefined
}
