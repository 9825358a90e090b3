// Members over HTTP: authority over roles, and the end of memberships.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { ROLES, type Role, hasAuthorityOver } from '@bowline/contract/roles'
import type { TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Client, type Person, bootServer, outcome } from '../testing/boot.ts'

const { members, apiKeys, auth } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

const unique = () => `p${randomUUID().slice(0, 8)}`
const newcomer = (on = server) => on.addPerson(unique())
const emailOf = (person: Person) => `${person.username}@example.com`

/** Adds a member with a role. @returns a client whose token is for the namespace */
async function join(tenant: TenantId, person: Person, role: Role): Promise<Client> {
  await server.addMember(tenant, person.id, role)
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant } })
  return server.client(body.token)
}

async function roles(tenant: TenantId): Promise<string[]> {
  const rows = await server.database
    .system()
    .selectFrom('members')
    .select('role')
    .where('tenant_id', '=', tenant)
    .execute()
  return rows.map(({ role }) => role).sort()
}

describe('adding a member', () => {
  it('adds a member immediately and answers with the namespace', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const params = { tenant: owner.tenant }
    const add = (email: string) => owner.client.call(members.add, { params, body: { email, role: 'operator' } })
    const { body } = await add(emailOf(other).toUpperCase())
    expect(body.members.find(({ id }) => id === other.id)).toMatchObject({
      role: 'operator',
      status: 'accepted',
      email: emailOf(other),
      expires_at: '0001-01-01T00:00:00Z',
    })
    expect(await outcome(add(emailOf(other)))).toBe('409 ALREADY_MEMBER email')
    expect(await outcome(add('nobody@example.com'))).toBe('404 NOT_FOUND email')
  })

  it('finds a new member by e-mail address, not by a username that looks like one', async () => {
    const [owner, impostor] = [await newcomer(), await newcomer()]
    const email = `${unique()}@example.com`
    const rename = impostor.client.call(operations.users.update, { body: { username: email } })
    expect(await outcome(rename)).toBe('400 username')
    // An account of before that rule.
    const db = server.database.system().updateTable('users')
    await db.set({ username: email }).where('id', '=', impostor.id).execute()
    const add = owner.client.call(members.add, { params: { tenant: owner.tenant }, body: { email, role: 'operator' } })
    expect(await outcome(add)).toBe('404 NOT_FOUND email')
    expect(await roles(owner.tenant)).toEqual(['owner'])
  })

  it('answers for thirty unknown addresses an hour only: each tells who has no account', async () => {
    const owner = await newcomer()
    const params = { tenant: owner.tenant }
    const outcomes: string[] = []
    for (let nth = 0; nth < 32; nth += 1) {
      const body = { email: `${unique()}@example.com`, role: 'observer' as const }
      outcomes.push(await outcome(owner.client.call(members.add, { params, body })))
    }
    expect(outcomes.filter((one) => one === '404 NOT_FOUND email')).toHaveLength(30)
    expect(outcomes.at(-1)).toBe('429 TOO_MANY_REQUESTS')
  })

  it('adds a member once when called concurrently', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const body = { email: emailOf(other), role: 'observer' as const }
    const add = () => outcome(owner.client.call(members.add, { params: { tenant: owner.tenant }, body }))
    expect((await Promise.all([add(), add(), add()])).sort()).toEqual([
      '200',
      '409 ALREADY_MEMBER email',
      '409 ALREADY_MEMBER email',
    ])
  })
})

describe('authority over members', () => {
  it.each(['administrator', 'owner'] as const)(
    'enforces the role table for an %s and every pair of roles',
    async (own) => {
      const owner = await newcomer()
      const { tenant } = owner
      const actor = own === 'owner' ? owner.client : await join(tenant, await newcomer(), own)
      for (const role of ROLES.filter((role) => role !== 'owner')) {
        for (const next of ROLES) {
          const target = await newcomer()
          await server.addMember(tenant, target.id, role)
          const params = { tenant, uid: target.id }
          const may = hasAuthorityOver(own, role) && hasAuthorityOver(own, next)
          const changed = await outcome(actor.call(members.update, { params, body: { role: next } }))
          expect([role, next, changed]).toEqual([role, next, may ? '200' : '403 ROLE_TOO_HIGH'])
          expect(await outcome(actor.call(members.remove, { params }))).toBe('200')
        }
      }
      const params = { tenant, uid: owner.id }
      expect(await outcome(actor.call(members.update, { params, body: { role: 'observer' } }))).toBe(
        '403 ROLE_TOO_HIGH',
      )
      expect(await outcome(actor.call(members.remove, { params }))).toBe('403 ROLE_TOO_HIGH')
      expect(await roles(tenant)).toContain('owner')
    },
  )

  it('keeps one owner under concurrent role changes', async () => {
    const owner = await newcomer()
    const { tenant } = owner
    const people = await Promise.all(Array.from({ length: 4 }, () => newcomer()))
    const clients: Client[] = []
    for (const person of people) clients.push(await join(tenant, person, 'administrator'))
    const targets = [owner, ...people]
    await Promise.all(
      [owner.client, ...clients].flatMap((client) =>
        targets.flatMap(({ id: uid }) =>
          ROLES.map((role) => outcome(client.call(members.update, { params: { tenant, uid }, body: { role } }))),
        ),
      ),
    )
    expect((await roles(tenant)).filter((role) => role === 'owner')).toEqual(['owner'])
  })

  it('checks the caller’s current role: a demoted administrator has no authority', async () => {
    const [owner, person, target] = [await newcomer(), await newcomer(), await newcomer()]
    const { tenant } = owner
    const client = await join(tenant, person, 'administrator')
    await server.addMember(tenant, target.id, 'observer')
    await owner.client.call(members.update, { params: { tenant, uid: person.id }, body: { role: 'operator' } })
    expect(await outcome(client.call(members.remove, { params: { tenant, uid: target.id } }))).toBe('403 FORBIDDEN')
  })

  it('ignores an update without a role and answers 404 for a non-member', async () => {
    const [owner, target] = [await newcomer(), await newcomer()]
    const params = { tenant: owner.tenant, uid: target.id }
    expect(await outcome(owner.client.call(members.update, { params, body: {} }))).toBe('404 NOT_FOUND')
    await server.addMember(owner.tenant, target.id, 'observer')
    expect(await outcome(owner.client.call(members.update, { params, body: {} }))).toBe('200')
    expect(await roles(owner.tenant)).toEqual(['observer', 'owner'])
  })
})

describe('end of a membership', () => {
  const ends = {
    'removed by another': (owner: Person, person: Person) =>
      owner.client.call(members.remove, { params: { tenant: owner.tenant, uid: person.id } }),
    left: (owner: Person, _: Person, client: Client) =>
      client.call(members.leave, { params: { tenant: owner.tenant } }),
  }
  it.each(Object.entries(ends))('ends the member’s tokens and API keys for good: %s', async (_, end) => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const { tenant } = owner
    const client = await join(tenant, person, 'administrator')
    const { body: key } = await client.call(apiKeys.create, { body: { name: 'machine', expires_at: -1 } })
    const withKey = () => server.fetch('/api/stats', { headers: { 'x-api-key': key.id } })
    expect((await withKey()).status).toBe(200)
    await end(owner, person, client)
    expect(await outcome(client.call(operations.stats.get, {}))).toBe('401 UNAUTHORIZED')
    expect((await withKey()).status).toBe(401)
    await server.addMember(tenant, person.id, 'administrator')
    expect((await withKey()).status).toBe(401)
    expect((await owner.client.call(apiKeys.list, {})).total).toBe(0)
  })

  it('answers leaving the token’s namespace with a sign-in to another one', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const client = await join(owner.tenant, person, 'observer')
    const { body } = await client.call(members.leave, { params: { tenant: owner.tenant } })
    expect(body).toMatchObject({ tenant: person.tenant, role: 'owner' })
  })

  it('answers leaving another namespace with an empty body and rejects owners', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    await server.addMember(owner.tenant, person.id, 'observer')
    const { body } = await person.client.call(members.leave, { params: { tenant: owner.tenant } })
    expect(body).toBeUndefined()
    const leave = (tenant: TenantId) => outcome(person.client.call(members.leave, { params: { tenant } }))
    expect(await leave(owner.tenant)).toBe('404 NOT_FOUND')
    expect(await leave(person.tenant)).toBe('403 OWNER_REFUSED')
  })
})
