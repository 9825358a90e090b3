// Helpers of the tests of registration and invitations.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import { mailsTo } from '../mails/testing/outbox.ts'
import { type BootedServer, PASSWORD, type Person } from '../testing/boot.ts'

/** Another username each time. */
export const unique = (): string => `p${randomUUID().slice(0, 8)}`

/** Link of the newest mail of a kind to an address. */
export async function linkIn(
  server: BootedServer,
  address: string,
  kind: 'confirm' | 'confirm-address' | 'recover' | 'invitation' | 'account-exists',
): Promise<URL> {
  const mails = await mailsTo(server, address, kind)
  const newest = mails.at(-1)
  if (!newest) throw new Error(`no mail of the kind ${kind} to ${address}`)
  return new URL(newest.values.link)
}

/** Body of a registration. */
export function newPerson(username = unique(), rest: object = {}) {
  const email = `${username}@example.com`
  return { name: 'Some Body', username, email, password: PASSWORD, email_marketing: false, ...rest }
}

/** Opens the link of a confirmation. */
export function open(server: BootedServer, { searchParams }: URL) {
  const [email, token] = [searchParams.get('email') ?? '', searchParams.get('token') ?? '']
  return server.client().call(operations.users.validateAccount, { query: { email, token } })
}

/** Invites by a link. @returns the secret and the id of the invited account */
export async function inviteBy(inviter: Person, email: string, role: Role = 'observer') {
  const params = { tenant: inviter.tenant }
  const { body } = await inviter.client.call(operations.members.invite, { params, body: { email, role } })
  const { searchParams } = new URL(body.link)
  return { sig: searchParams.get('sig') ?? '', user: searchParams.get('user-id') ?? '', link: body.link }
}

/** Invites by mail. @returns the secret and the id of the invited account */
export async function inviteByMail(server: BootedServer, inviter: Person, email: string, role: Role = 'observer') {
  const params = { tenant: inviter.tenant }
  await inviter.client.call(operations.members.add, { params, body: { email, role } })
  const { searchParams } = await linkIn(server, email, 'invitation')
  return { sig: searchParams.get('sig') ?? '', user: searchParams.get('user-id') ?? '' }
}

/** Status and body of a call, as it is sent. */
export async function rawPost(server: BootedServer, path: string, body: object): Promise<[number, string]> {
  const response = await server.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [response.status, await response.text()]
}
