// The end of namespaces on two servers that share a database: closing, restoring, and removing for good.
import { randomUUID } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import * as n from '@bowline/ssh/wire/numbers'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { liveStream } from '../administration/testing.ts'
import { foldCounts } from '../db/lists/row-counts.ts'
import { showClosed } from '../db/show-closed.ts'
import { mailsTo } from '../mails/testing/outbox.ts'
import { forgetInvitations } from '../members/invitations.ts'
import { inviteBy } from '../registration/testing.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, databaseUrl, outcome } from '../testing/boot.ts'
import { testContext } from '../testing/context.ts'
import { DEVICE_PASSWORD, fakeDevice, rawClient, signedIn } from '../testing/gateway.ts'
import { populate } from '../testing/http-server.ts'
import { makeTenant, tenantTables } from '../testing/tenant.ts'

const { namespaces, devices, auth, users, apiKeys } = operations
const WEEK_MS = 7 * 86_400_000
let clock: ManualClock
let server: BootedServer
let two: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  const settings = { BOWLINE_EDITION: 'cloud', BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' }
  server = await bootServer({ clock, settings })
  await server.setUpAccount()
  const sameKey = { ...settings, BOWLINE_SECRET_KEY: server.secretKey }
  two = await bootServer({ clock, settings: sameKey, reach: () => Promise.resolve(databaseUrl(server.owner)) })
})
afterAll(async () => {
  await two.close()
  await server.close()
})

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const close = ({ client, tenant }: Person) => client.call(namespaces.remove, { params: { tenant } })
const restore = ({ client }: Person, tenant: TenantId) => client.call(namespaces.restore, { params: { tenant } })
const deletedOf = async ({ client }: Person) => (await client.call(namespaces.listDeleted, {})).body

/** The person signed in anew: time has passed, or the namespace of the token is closed. */
async function again(person: Person): Promise<Person> {
  const body = { username: person.username, password: PASSWORD }
  const answer = await server.client().call(auth.login, { body })
  return { ...person, auth: answer.body, client: server.client(answer.body.token) }
}

/** Counts rows of a namespace in each table that has some, whether it is closed or not. */
async function countsOf(tenant: TenantId): Promise<Record<string, number>> {
  return server.database
    .system()
    .transaction()
    .execute(async (db) => {
      await showClosed(db)
      const counts: [string, number][] = []
      for (const table of await tenantTables(db)) {
        const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}
          where tenant_id = ${tenant}`.execute(db)
        if (rows[0]?.count) counts.push([table, rows[0].count])
      }
      return Object.fromEntries(counts)
    })
}

async function actionsOf(tenant: TenantId): Promise<string[]> {
  const log = server.database.system().selectFrom('audit_log').select('action').where('tenant_id', '=', tenant)
  return (await log.where('action', 'like', 'namespace.%').orderBy('id').execute()).map(({ action }) => action)
}

/** Passes the time in which a namespace can be restored, and waits until the jobs have removed it. */
async function outlast(tenant: TenantId): Promise<void> {
  clock.advance(WEEK_MS)
  const look = async (): Promise<boolean> => {
    clock.advance(600_000)
    return (await actionsOf(tenant)).includes('namespace.purge')
  }
  await until(look, { timeout: 20_000, interval: 250 })
}

describe('a deleted namespace', () => {
  it('is gone for people, API keys and devices, and leaves no list but that of its owner', async () => {
    const owner = await newcomer()
    const member = await newcomer()
    await server.addMember(owner.tenant, member.id, 'administrator')
    const home = (await owner.client.call(namespaces.create, { body: { name: `home-${owner.username}` } })).body
    const device = await server.acceptedDevice(owner)
    const body = { name: 'robot', expires_at: -1 as const, role: 'administrator' as const }
    const { id: key } = (await owner.client.call(apiKeys.create, { body })).body
    const withKey = () => server.fetch('/api/devices', { headers: { 'x-api-key': key } })
    expect((await withKey()).status).toBe(200)
    const switched = await member.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
    await close(owner)

    expect((await withKey()).status).toBe(401)
    expect(await outcome(server.client(switched.body.token).call(devices.list, {}))).toBe('401 UNAUTHORIZED')
    const params = { tenant: owner.tenant }
    expect(await outcome(member.client.call(auth.switchNamespace, { params }))).toBe('404 NOT_FOUND')
    expect(await outcome(server.client().call(auth.authenticateDevice, { body: device.body }))).toBe('404 NOT_FOUND')
    expect(await outcome(server.registerDevice(owner.tenant))).toBe('404 NOT_FOUND')
    const there = await again(owner)
    expect(there.auth.tenant).toBe(home.tenant_id)
    expect((await there.client.call(namespaces.list, {})).body.map(({ name }) => name)).toEqual([home.name])
    expect(await outcome(there.client.call(namespaces.get, { params }))).toBe('404 NOT_FOUND')
    expect(await deletedOf(there)).toEqual([
      {
        tenant_id: owner.tenant,
        name: owner.namespace,
        deleted_at: new Date(clock.now()).toISOString(),
        removed_at: new Date(clock.now() + WEEK_MS).toISOString(),
      },
    ])
    expect(await deletedOf(await again(member))).toEqual([])
  })

  it('keeps its name and its id reserved', async () => {
    const owner = await newcomer()
    await close(owner)
    const other = await newcomer()
    const create = (body: { name: string; tenant?: string }) => outcome(other.client.call(namespaces.create, { body }))
    expect(await create({ name: owner.namespace })).toBe('409 CONFLICT name')
    expect(await create({ name: `x${owner.username}`, tenant: owner.tenant })).toBe('409 CONFLICT tenant')
  })

  it('is announced to its owner by mail with the date and the way back', async () => {
    const owner = await newcomer()
    await close(owner)
    const [mail] = await mailsTo(server, `${owner.username}@example.com`, 'namespace-deleted')
    expect(mail?.values).toMatchObject({
      namespace: owner.namespace,
      until: new Date(clock.now() + WEEK_MS).toISOString(),
      link: expect.stringContaining(`/profile?deleted=${owner.tenant}`) as string,
    })
  })

  it('ends live sessions with the cause, and takes no login until it is restored', async () => {
    const owner = await newcomer()
    const device = await fakeDevice(server, owner)
    const client = await signedIn(server, device.login('root'))
    await close(owner)
    const text = (await client.next(n.MSG_DISCONNECT)).toString('utf8')
    expect(text).toContain('access to this device has been withdrawn')
    expect(await device.ended).toMatchObject({ by: 'admin', reason: 'namespace-removed' })
    const session = server.database.system().selectFrom('sessions').select(['active', 'cause_reason'])
    const ended = () => session.where('tenant_id', '=', owner.tenant).executeTakeFirstOrThrow()
    // Not active is also a session whose login is being written down.
    await until(async () => (await ended()).cause_reason !== null)
    expect(await ended()).toEqual({ active: false, cause_reason: 'namespace-removed' })

    const refused = await rawClient(server)
    await refused.startAuthentication()
    refused.sendPassword(device.login('root'), DEVICE_PASSWORD)
    const answer = refused.next(n.MSG_USERAUTH_FAILURE, n.MSG_USERAUTH_SUCCESS, n.MSG_DISCONNECT)
    let isAnswered = false
    void answer.finally(() => (isAnswered = true))
    // Refusals are delayed.
    await until(() => {
      clock.advance(1_000)
      return isAnswered
    })
    expect((await answer)[0]).not.toBe(n.MSG_USERAUTH_SUCCESS)

    await restore(await again(owner), owner.tenant)
    const back = await again(owner)
    const returned = await fakeDevice(server, back, undefined, device.device)
    expect(await signedIn(server, returned.login('root'))).toBeDefined()
  })

  it('ends live streams of its members within a second, on both servers', async () => {
    const owner = await newcomer()
    const member = await newcomer()
    await server.addMember(owner.tenant, member.id, 'observer')
    const { body } = await member.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
    const streams = await Promise.all([server, two].map((one) => liveStream(one.client(body.token))))
    await close(owner)
    let ended = false
    const ends = Promise.all(streams.map((stream) => stream.ended)).finally(() => (ended = true))
    // Less than the interval in which streams look by themselves.
    const begun = clock.now()
    await until(() => {
      if (clock.now() - begun < 14_000) clock.advance(1_000)
      return ended
    })
    expect(await ends).toEqual(['ended', 'ended'])
  })

  it('ends sessions on the other server within seconds', async () => {
    const owner = await newcomer()
    const there = { ...owner, client: two.client(owner.auth.token) }
    const device = await fakeDevice(two, there)
    const client = await signedIn(two, device.login('root'))
    await close(owner)
    clock.advance(2_000)
    expect((await client.next(n.MSG_DISCONNECT)).toString('utf8')).toContain('has been withdrawn')
    expect(await device.ended).toMatchObject({ reason: 'namespace-removed' })
  })
})

describe('restoring a namespace', () => {
  it('brings back every row', async () => {
    const owner = await newcomer()
    await populate(server, owner)
    // Differences of counts may be folded at any time.
    const { row_counts: _, ...before } = await countsOf(owner.tenant)
    await close(owner)
    await restore(await again(owner), owner.tenant)
    const { audit_log: log, row_counts: __, ...after } = await countsOf(owner.tenant)
    expect({ ...after, audit_log: (log ?? 0) - 2 }).toEqual(before)
    expect(await actionsOf(owner.tenant)).toEqual(['namespace.remove', 'namespace.restore'])
    const back = await again(owner)
    expect((await back.client.call(devices.list, {})).body).toHaveLength(1)
    expect(await deletedOf(back)).toEqual([])
  })

  it('brings devices back as offline, until their agents connect again', async () => {
    const owner = await newcomer()
    const { device } = await fakeDevice(server, owner)
    const of = async (person: Person) =>
      (await person.client.call(devices.get, { params: { uid: device.uid } })).body.online
    expect(await of(owner)).toBe(true)
    await close(owner)
    await restore(await again(owner), owner.tenant)
    const back = await again(owner)
    expect(await of(back)).toBe(false)
    await fakeDevice(server, back, undefined, device)
    expect(await of(back)).toBe(true)
  })

  it('brings back the invitation of somebody without an account, which the job of expired ones has left', async () => {
    const owner = await newcomer()
    const { sig, user } = await inviteBy(owner, `${randomUUID().slice(0, 8)}@example.com`)
    await close(owner)
    await forgetInvitations(server.database.system(), clock, (tenant) =>
      testContext(server.database, tenant, { clock }),
    )
    await restore(await again(owner), owner.tenant)
    const params = { tenant: owner.tenant, id: user }
    const { body } = await server.client().call(operations.members.inviteStatus, { params, query: { sig } })
    expect(body).toMatchObject({ status: 'invited', namespace: owner.namespace })
  })

  it('is refused to everybody but the owner, and twice', async () => {
    const [owner, administrator] = [await newcomer(), await newcomer()]
    await server.addMember(owner.tenant, administrator.id, 'administrator')
    expect(await outcome(restore(owner, owner.tenant))).toBe('404 NOT_FOUND')
    await close(owner)
    expect(await outcome(restore(await again(administrator), owner.tenant))).toBe('404 NOT_FOUND')
    const back = await again(owner)
    const tries = await Promise.all([1, 2].map(() => outcome(restore(back, owner.tenant))))
    expect(tries.sort()).toEqual(['200', '404 NOT_FOUND'])
  })

  it('is refused beyond the limit of the account, which closed ones do not count for', async () => {
    const owner = await newcomer()
    const account = server.database.system().updateTable('users').set({ max_namespaces: 1 })
    await account.where('id', '=', owner.id).execute()
    await close(owner)
    const back = await again(owner)
    expect(await outcome(back.client.call(namespaces.create, { body: { name: `n${owner.username}` } }))).toBe('200')
    expect(await outcome(restore(back, owner.tenant))).toBe('403 NAMESPACE_LIMIT')
  })

  it('is refused once the week is over', async () => {
    const owner = await newcomer()
    await close(owner)
    await outlast(owner.tenant)
    expect(await outcome(restore(await again(owner), owner.tenant))).toBe('404 NOT_FOUND')
  })
})

describe('after the week', () => {
  it('removes every row but those of audit log and recording ledger, and keeps other namespaces', async () => {
    const people = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(() => newcomer()))
    const [observer, operator, administrator, owner, pending] = people
    if (!observer || !operator || !administrator || !owner || !pending) throw new Error('five people')
    const members = { observer: observer.id, operator: operator.id, administrator: administrator.id, owner: owner.id }
    const { id: tenant } = await makeTenant(server.database, TenantId.parse(randomUUID()), members, pending.id)
    const other = await server.acceptedDevice(owner)
    const tables = await tenantTables(server.database.system())
    const { body } = await owner.client.call(auth.switchNamespace, { params: { tenant } })
    const before = await countsOf(tenant)
    const empty = ['audit_log', 'closed_namespaces']
    // The queue of tag rules empties by itself.
    const lasting = tables.filter((table) => table !== 'tag_rule_devices')
    expect(lasting.filter((table) => !before[table])).toEqual(empty)
    await server.client(body.token).call(namespaces.remove, { params: { tenant } })
    // Its tokens end with it; the owner now signs in to another namespace, which is complete.
    expect(await outcome(server.client(body.token).call(auth.getUser, {}))).toBe('401 UNAUTHORIZED')
    expect((await owner.client.call(auth.getUser, {})).body.tenant).toBe(owner.tenant)
    await outlast(tenant)
    // Differences that sum to zero are deleted by the next fold; the audit log keeps its total.
    await foldCounts(server.database.system())
    expect(await countsOf(tenant)).toEqual({ audit_log: 2, recording_ledger: 1, row_counts: 1 })
    const back = await again(owner)
    expect((await back.client.call(devices.get, { params: { uid: other.uid } })).body.uid).toBe(other.uid)
  })

  it('removes a namespace once on two servers, and never one that was restored', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => newcomer()))
    for (const person of people) await close(person)
    const kept = people.filter((_, index) => index % 2 === 0)
    clock.advance(WEEK_MS - 1)
    for (const person of kept) await restore(await again(person), person.tenant)
    for (const { tenant } of people.filter((person) => !kept.includes(person))) await outlast(tenant)
    const actions = await Promise.all(people.map(({ tenant }) => actionsOf(tenant)))
    expect(actions.map((of) => of.filter((action) => action === 'namespace.purge').length)).toEqual([0, 1, 0, 1, 0, 1])
    for (const person of kept) expect((await again(person)).auth.tenant).toBe(person.tenant)
  })

  it('keeps files of recordings for the week and removes them afterwards', async () => {
    const owner = await newcomer()
    await populate(server, owner)
    const recordings = () => server.database.system().selectFrom('recordings').select(['id', 'session_uid'])
    const { id } = await recordings().where('tenant_id', '=', owner.tenant).executeTakeFirstOrThrow()
    const file = join(server.dataFolder, 'recordings', `${id}.cast`)
    const isThere = () =>
      access(file).then(
        () => true,
        () => false,
      )
    expect(await isThere()).toBe(true)
    await close(owner)
    // The job that removes files without rows has run when the next one is due.
    clock.advance(600_000)
    const orphan = join(server.dataFolder, 'recordings', `${randomUUID()}.cast`)
    await writeFile(orphan, '')
    clock.advance(600_000)
    await until(() =>
      access(orphan).then(
        () => false,
        () => true,
      ),
    )
    expect(await isThere()).toBe(true)
    await outlast(owner.tenant)
    await until(async () => {
      clock.advance(600_000)
      return !(await isThere())
    })
  })
})

describe('the account of the owner', () => {
  it('takes its deleted namespaces along at once, and is refused while it owns another', async () => {
    const owner = await newcomer()
    const { body: second } = await owner.client.call(namespaces.create, { body: { name: `s-${owner.username}` } })
    await close(owner)
    const back = await again(owner)
    expect(await outcome(back.client.call(users.remove, {}))).toBe('403 OWNER_REFUSED')
    expect(await deletedOf(back)).toHaveLength(1)
    await back.client.call(namespaces.remove, { params: { tenant: second.tenant_id } })
    const last = await again(owner)
    await last.client.call(users.remove, {})
    for (const tenant of [owner.tenant, TenantId.parse(second.tenant_id)]) {
      expect(await actionsOf(tenant)).toEqual(['namespace.remove', 'namespace.purge'])
      expect(await countsOf(tenant)).not.toHaveProperty('namespaces')
    }
  })
})
