// People of a namespace who ask for access and decide, for tests.
import { operations } from '@bowline/contract/operations'
import type { AccessRequest } from '@bowline/contract/operations/fleet/access-requests'
import type { Role } from '@bowline/contract/roles'
import type { BootedServer, Client, Person } from '../testing/boot.ts'

const { accessRequests, auth, firewall } = operations

/** A member of the owner's namespace, with a client that is signed in to it. */
export interface Member {
  readonly person: Person
  readonly client: Client
}

let people = 0

export async function memberOf(server: BootedServer, owner: Person, role: Role): Promise<Member> {
  const person = await server.addPerson(`${role}-${(people += 1)}`)
  await server.addMember(owner.tenant, person.id, role)
  return { person, client: await signedInTo(server, owner, person) }
}

/** A client of a member that is signed in to the owner's namespace. */
export async function signedInTo(server: BootedServer, owner: Person, person: Person): Promise<Client> {
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
  return server.client(body.token)
}

/** Asks for an hour as root. */
export async function ask(client: Client, changes: object): Promise<AccessRequest> {
  const body = { accounts: ['root'], minutes: 60, reason: 'the disk is full', ...changes }
  return (await client.call(accessRequests.create, { body })).body
}

export async function approve(
  client: Client,
  { id }: { readonly id: string },
  minutes?: number,
): Promise<AccessRequest> {
  const body = minutes === undefined ? {} : { minutes }
  return (await client.call(accessRequests.approve, { params: { id }, body })).body
}

export async function deny(client: Client, { id }: { readonly id: string }, note = ''): Promise<AccessRequest> {
  return (await client.call(accessRequests.deny, { params: { id }, body: { note } })).body
}

export async function end(client: Client, { id }: { readonly id: string }): Promise<AccessRequest> {
  return (await client.call(accessRequests.end, { params: { id } })).body
}

export async function listed(client: Client, query: object = {}): Promise<AccessRequest[]> {
  return (await client.call(accessRequests.list, { query })).body
}

/** Adds a rule of the namespace that denies everybody, with changes. */
export async function addRule({ client }: Pick<Person, 'client'>, changes: object = {}): Promise<void> {
  const rule = { action: 'deny' as const, active: true, priority: 1, source_ip: '.*', username: '.*' }
  await client.call(firewall.create, { body: { ...rule, filter: { hostname: '.*' }, ...changes } })
}
