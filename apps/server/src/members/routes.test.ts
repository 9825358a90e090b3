// Members over HTTP: authority over roles, and the invitations of the cloud edition.
import { testContext } from '../testing/context.ts'
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { ROLES, type Role, hasAuthorityOver } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomIds } from '../platform/ids.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Client, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type Invite, addMember, inviteHash } from './service.ts'

const { members, namespaces, apiKeys, auth } = operations
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
    await impostor.client.call(operations.users.update, { body: { username: email } })
    const add = owner.client.call(members.add, { params: { tenant: owner.tenant }, body: { email, role: 'operator' } })
    expect(await outcome(add)).toBe('404 NOT_FOUND email')
    expect(await roles(owner.tenant)).toEqual(['owner'])
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

describe('invitations in the cloud edition', () => {
  let clock: ManualClock
  let cloud: BootedServer
  beforeAll(async () => {
    clock = new ManualClock()
    cloud = await bootServer({ clock, settings: { BOWLINE_EDITION: 'cloud' } })
  })
  afterAll(() => cloud.close())

  /** Invites as a server with e-mail does. */
  async function invite(owner: Person, email: string, role: Role): Promise<Invite> {
    const sent: Invite[] = []
    const db = cloud.database.system()
    const actor = { kind: 'user' as const, id: owner.id, username: owner.username, tenant: owner.tenant }
    const ctx = testContext(cloud.database, owner.tenant, {
      actor: { ...actor, role: 'owner', family: undefined, login: undefined, expiresAt: 0 },
      clock,
      edition: 'cloud',
    })
    const deps = { db, ids: randomIds, edition: 'cloud' as const, sendInvite: (one: Invite) => void sent.push(one) }
    await addMember(deps, ctx, { email, role })
    const [only] = sent
    if (!only) throw new Error('nothing was sent')
    return only
  }

  it('rejects an invitation that cannot be sent and leaves no pending member', async () => {
    const [owner, person] = [await newcomer(cloud), await newcomer(cloud)]
    const params = { tenant: owner.tenant }
    for (const email of [`${unique()}@example.com`, emailOf(person)]) {
      const adding = owner.client.call(members.add, { params, body: { email, role: 'observer' } })
      expect(await outcome(adding)).toBe('501 NOT_WORKING_YET')
    }
    const { body } = await owner.client.call(namespaces.get, { params })
    expect(body.members.map(({ id }) => id)).toEqual([owner.id])
  })

  it('keeps an invitation pending for seven days, then allows another; stores the link’s hash', async () => {
    const owner = await newcomer(cloud)
    const { tenant } = owner
    const email = `${unique()}@example.com`
    const row = async (user: UserId) => {
      const rows = cloud.database.system().selectFrom('members').selectAll()
      return rows.where('tenant_id', '=', tenant).where('user_id', '=', user).executeTakeFirstOrThrow()
    }
    const first = await invite(owner, email, 'observer')
    expect(first).toMatchObject({ tenant, email })
    const pending = await row(first.user)
    expect(pending).toMatchObject({ status: 'pending', role: 'observer', invite_hash: inviteHash(first.sig) })
    expect(Number(pending.expires_at) - clock.now()).toBe(7 * 86_400_000)

    clock.advance(7 * 86_400_000 - 1)
    await expect(invite(owner, email, 'operator')).rejects.toMatchObject({ code: 'ALREADY_MEMBER', fields: ['email'] })
    clock.advance(1)
    const second = await invite(owner, email, 'operator')
    expect(second.sig).not.toBe(first.sig)
    expect(await row(first.user)).toMatchObject({ role: 'operator', invite_hash: inviteHash(second.sig) })
  })

  it('grants no access before acceptance, and can be withdrawn', async () => {
    const [owner, person] = [await newcomer(cloud), await newcomer(cloud)]
    const params = { tenant: owner.tenant }
    await invite(owner, emailOf(person), 'administrator')
    expect(await outcome(person.client.call(auth.switchNamespace, { params }))).toBe('404 NOT_FOUND')
    expect((await person.client.call(namespaces.list, {})).total).toBe(1)
    const { body } = await owner.client.call(members.remove, { params: { ...params, uid: person.id } })
    expect(body.members.map(({ id }) => id)).toEqual([owner.id])
  })
})
