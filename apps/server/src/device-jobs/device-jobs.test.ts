// Changes of many devices: what they change, how they fail, with whose rights they run, and their undo.
import { until } from '@bowline/testkit/until'
import type { Input } from '@bowline/contract/operation'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'

const { administration, auth, deviceJobs, devices, audit, roles } = operations
let server: BootedServer
let owner: Person
beforeAll(async () => {
  server = await bootServer()
  owner = await server.setUpAccount()
})
afterAll(() => server.close())

interface Fleet {
  readonly person: Person
  readonly prefix: string
}

let fleets = 0
/** A namespace with `count` devices, named with a prefix of their own. */
async function fleet(count: number, status: 'accepted' | 'pending'): Promise<Fleet> {
  const prefix = `fleet${(fleets += 1)}`
  const person = await server.addPerson(prefix)
  await sql`insert into devices (uid, tenant_id, name, public_key, status, tags)
    select encode(sha256(convert_to(${prefix} || '-' || i, 'UTF8')), 'hex'), ${person.tenant}::uuid, ${prefix} || '-' || i, 'key',
      ${status}, case when i % 10 = 0 then '{one,two,three}'::text[] else '{}' end
    from generate_series(1, ${count}::int) as i`.execute(server.database.system())
  return { person, prefix }
}

async function start(
  client: Person['client'],
  body: Partial<Input<typeof deviceJobs.create>['body']> & { action: 'accept' | 'reject' | 'tag' | 'untag' | 'remove' },
): Promise<DeviceJob> {
  return ended(client, (await client.call(deviceJobs.create, { body })).body)
}

async function ended(client: Person['client'], { id }: DeviceJob): Promise<DeviceJob> {
  const look = async () => (await client.call(deviceJobs.get, { params: { id } })).body
  // Hundreds of devices take a busy machine its time, and each look takes it from them.
  await until(async () => (await look()).state !== 'running', { interval: 50, timeout: 25_000 })
  return look()
}

async function totalOf(person: Person, query: Record<string, string>): Promise<number> {
  return (await person.client.call(devices.list, { query: { per_page: '1', ...query } })).total
}

const filterOf = (name: string, operator: string, value: unknown) =>
  Buffer.from(JSON.stringify([{ type: 'property', params: { name, operator, value } }])).toString('base64')

describe('a change of all devices that match', () => {
  it('changes more devices than a page has, groups failures by cause, and is taken back as a whole', async () => {
    const { person } = await fleet(230, 'accepted')
    const job = await start(person.client, { action: 'tag', tags: ['new-tag'] })
    expect(job).toMatchObject({ state: 'done', total: 230, done: 207, failed: 23, can_undo: true, can_retry: false })
    expect(job.failures).toMatchObject([{ code: 'TAG_LIMIT', count: 23, message: 'At most 3 tags are allowed.' }])
    expect(job.failures[0]?.examples).toHaveLength(5)
    expect(await totalOf(person, { filter: filterOf('tags', 'eq', 'new-tag') })).toBe(207)

    const undone = (await person.client.call(deviceJobs.undo, { params: { id: job.id } })).body
    expect(await ended(person.client, undone)).toMatchObject({ action: 'undo', total: 207, done: 207, can_undo: false })
    expect(await totalOf(person, { filter: filterOf('tags', 'eq', 'new-tag') })).toBe(0)
    expect((await person.client.call(deviceJobs.get, { params: { id: job.id } })).body.can_undo).toBe(false)
    await expect(person.client.call(deviceJobs.undo, { params: { id: job.id } })).rejects.toMatchObject({ status: 409 })
  })

  it('is tried again on the devices where it failed for a reason that has ended', async () => {
    const { person } = await fleet(8, 'pending')
    const { client } = person
    const limitTo = (most: number) =>
      server.database
        .system()
        .updateTable('namespaces')
        .set({ max_devices: most })
        .where('tenant_id', '=', person.tenant)
        .execute()
    await limitTo(5)
    const job = await start(client, { action: 'accept', status: 'pending' })
    expect(job).toMatchObject({ done: 5, failed: 3, can_retry: true, failures: [{ code: 'DEVICE_LIMIT' }] })
    await limitTo(20)
    const [left] = (await client.call(devices.list, { query: { status: 'pending' } })).body
    if (!left) throw new Error('no device is pending')
    // It is not waited for: it is no longer there.
    await client.call(devices.remove, { params: { uid: left.uid } })
    const again = await ended(client, (await client.call(deviceJobs.retry, { params: { id: job.id } })).body)
    expect(again).toMatchObject({ action: 'accept', total: 2, done: 2, failed: 0, can_retry: false })
    expect(await totalOf(person, { status: 'pending' })).toBe(0)
    await expect(client.call(deviceJobs.retry, { params: { id: again.id } })).rejects.toMatchObject({ status: 409 })
    const [, begun] = (await client.call(audit.list, { query: { per_page: '2' } })).body
    expect(begun).toMatchObject({ action: 'device.bulk', details: { action: 'accept', devices: 2, retries: job.id } })
  })

  it('goes on where it was stopped', async () => {
    const { person } = await fleet(400, 'accepted')
    const { client } = person
    const { body: job } = await client.call(deviceJobs.create, { body: { action: 'tag', tags: ['slow'] } })
    await expect(client.call(deviceJobs.retry, { params: { id: job.id } })).rejects.toMatchObject({ status: 409 })
    await client.call(deviceJobs.stop, { params: { id: job.id } })
    const again = await ended(client, (await client.call(deviceJobs.retry, { params: { id: job.id } })).body)
    expect(again).toMatchObject({ action: 'tag', tags: ['slow'], state: 'done' })
    // A tenth has three tags. Some may have been under way when it was stopped.
    expect(await totalOf(person, { filter: filterOf('tags', 'eq', 'slow') })).toBe(360)
  })

  it('lists those that run before newer ones that have ended', async () => {
    const { person } = await fleet(1, 'accepted')
    const old = await start(person.client, { action: 'tag', tags: ['old'] })
    const recent = await start(person.client, { action: 'tag', tags: ['recent'] })
    const listed = async () => (await person.client.call(deviceJobs.list, {})).body.map(({ id }) => id)
    expect(await listed()).toEqual([recent.id, old.id])
    // As if another node worked on it.
    await server.database
      .system()
      .updateTable('device_jobs')
      .set({ state: 'running', finished_at: null, leased_until: new Date(Date.now() + 600_000) })
      .where('id', '=', old.id)
      .execute()
    expect(await listed()).toEqual([old.id, recent.id])
  })

  it('leaves devices alone that do not match', async () => {
    const { person, prefix } = await fleet(30, 'pending')
    const job = await start(person.client, {
      action: 'reject',
      status: 'pending',
      filter: filterOf('name', 'contains', `${prefix}-1`),
    })
    expect(job).toMatchObject({ total: 11, done: 11, failed: 0 })
    expect(await totalOf(person, { status: 'pending' })).toBe(19)
    const undone = (await person.client.call(deviceJobs.undo, { params: { id: job.id } })).body
    await ended(person.client, undone)
    expect(await totalOf(person, { status: 'pending' })).toBe(30)
  })

  it('accepts and removes what matches', async () => {
    const { person } = await fleet(12, 'pending')
    expect(await start(person.client, { action: 'accept', status: 'pending' })).toMatchObject({
      done: 12,
      can_undo: true,
    })
    expect(await start(person.client, { action: 'remove' })).toMatchObject({ done: 12, can_undo: false })
    expect(await totalOf(person, { status: '' })).toBe(0)
  })

  it('undoes acceptances, but for a device that has had a session', async () => {
    const { person } = await fleet(6, 'pending')
    const job = await start(person.client, { action: 'accept', status: 'pending' })
    expect(job).toMatchObject({ done: 6, can_undo: true })
    const [used] = (await person.client.call(devices.list, { query: { per_page: '1' } })).body
    if (!used) throw new Error('no device was accepted')
    const session = { uid: SessionUid.parse('1'.repeat(64)), tenant_id: person.tenant, device_uid: used.uid }
    await server.database
      .system()
      .insertInto('sessions')
      .values({ ...session, username: 'root', type: 'term', authenticated: true })
      .execute()
    const undone = (await person.client.call(deviceJobs.undo, { params: { id: job.id } })).body
    const failures = [{ code: 'ACCEPTANCE_FINAL', count: 1, message: expect.stringContaining('within 15 minutes') }]
    expect(await ended(person.client, undone)).toMatchObject({ done: 5, failed: 1, failures })
    expect(await totalOf(person, { status: 'pending' })).toBe(5)
  })

  it('accepts no device that would replace another one: their keys have to be compared', async () => {
    const person = await server.addPerson('careful')
    const mac = '02:00:00:00:00:77'
    const old = await server.acceptedDevice(person, { hostname: 'gate', identity: { mac } })
    await server.registerDevice(person.tenant, { hostname: 'other', identity: { mac } })
    const job = await start(person.client, { action: 'accept', status: 'pending' })
    expect(job).toMatchObject({ done: 0, failed: 1, failures: [{ code: 'DEVICE_REPLACES_ONE' }] })
    expect((await person.client.call(devices.get, { params: { uid: old.uid } })).body.status).toBe('accepted')
  })
})

describe('the failures of a change', () => {
  const read = async ({ auth: { token } }: Person, id: string, query: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await server.fetch(`/api/device-jobs/${id}/failures?${query}`, { headers })).text()
  }

  it('are listed page by page in the order in which people count, with their cause', async () => {
    const { person, prefix } = await fleet(230, 'accepted')
    const { id } = await start(person.client, { action: 'tag', tags: ['new-tag'] })
    const page = (query: Record<string, string>) =>
      person.client.call(deviceJobs.failures, { params: { id }, query: { per_page: '10', ...query } })
    const first = await page({})
    expect(first.total).toBe(23)
    expect(first.body.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${prefix}-${(i + 1) * 10}`),
    )
    expect(first.body[0]).toMatchObject({ code: 'TAG_LIMIT', message: 'At most 3 tags are allowed.' })
    expect((await page({ page: '3' })).body.map(({ name }) => name)).toEqual(
      ['210', '220', '230'].map((number) => `${prefix}-${number}`),
    )
    expect((await page({ cause: 'TAG_LIMIT', message: 'At most 3 tags are allowed.' })).total).toBe(23)
    expect((await page({ cause: 'DEVICE_LIMIT' })).body).toEqual([])
    expect((await page({ message: 'Another.' })).total).toBe(0)
    await expect(page({ cause: 'no code' })).rejects.toMatchObject({ status: 400, fields: ['cause'] })
  })

  it('are exported whole, as CSV and as JSON lines', async () => {
    const { person, prefix } = await fleet(30, 'accepted')
    const { id } = await start(person.client, { action: 'tag', tags: ['new-tag'] })
    const lines = (await read(person, id, 'format=csv')).trim().split('\r\n')
    expect(lines).toHaveLength(4)
    expect(lines[0]).toBe('"name","uid","code","message"')
    expect(lines[1]).toMatch(new RegExp(`^"${prefix}-10","[0-9a-f]{64}","TAG_LIMIT","At most 3 tags are allowed\\."$`))
    const objects = (await read(person, id, 'format=jsonl')).trim().split('\n')
    expect(objects.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual([
      `${prefix}-10`,
      `${prefix}-20`,
      `${prefix}-30`,
    ])
    expect((await read(person, id, 'format=csv&cause=DEVICE_LIMIT')).trim().split('\r\n')).toHaveLength(1)
  })
})

describe('the audit log', () => {
  const entries = (client: Person['client'], query: Record<string, string> = {}) =>
    client.call(audit.list, { query: { per_page: '100', ...query } })
  const actions = async (client: Person['client'], query?: Record<string, string>) => {
    const { body, total } = await entries(client, query)
    expect(total).toBe(body.length)
    return body.map(({ action }) => action)
  }

  it('has one entry of the start and one of the end; those of the devices are beside them', async () => {
    const { person, prefix } = await fleet(12, 'accepted')
    const filter = filterOf('name', 'contains', prefix)
    const job = await start(person.client, { action: 'tag', tags: ['new-tag'], filter })
    const { body: log } = await entries(person.client)
    const about = { action: 'tag', tags: ['new-tag'], devices: 12 }
    const facts = { list: 'devices', status: 'accepted', filter: [{ params: { name: 'name', value: prefix } }] }
    expect(log).toMatchObject([
      { action: 'device.bulk-end', target: job.id, details: { ...about, state: 'done', done: 11, failed: 1 } },
      { action: 'device.bulk', target: job.id, details: { ...about, ...facts } },
    ])
    expect(log.every((entry) => entry.actor.id === person.id && entry.job === undefined)).toBe(true)

    const { body: each, total } = await entries(person.client, { job: job.id })
    expect([total, ...each.map(({ action, job: of }) => `${action} ${of}`)]).toEqual([
      11,
      ...Array.from({ length: 11 }, () => `device.tags ${job.id}`),
    ])
    expect(await actions(person.client, { bulk: 'each' })).toHaveLength(13)
    expect(await actions(person.client, { action: 'device' })).toEqual(['device.bulk-end', 'device.bulk'])
    expect(await actions(person.client, { search: `${prefix}-7` })).toEqual(['device.tags'])
    expect(await actions(person.client, { search: `${prefix}-7`, bulk: 'folded' })).toEqual([])
  })

  it('has every entry in exports, with the job that it is part of', async () => {
    const { person } = await fleet(3, 'pending')
    const job = await start(person.client, { action: 'accept', status: 'pending' })
    const read = async (query: string) => {
      const headers = { authorization: `Bearer ${person.auth.token}` }
      return (await server.fetch(`/api/audit?${query}`, { headers })).text()
    }
    const lines = (text: string) => text.trim().split('\n')
    expect(lines(await read('format=jsonl'))).toHaveLength(5)
    expect(lines(await read('format=jsonl&bulk=folded'))).toHaveLength(2)
    expect(lines(await read('format=csv')).filter((line) => line.trimEnd().endsWith(`,"${job.id}"`))).toHaveLength(3)
  })

  it('tells who has stopped a change, once', async () => {
    const { person } = await fleet(400, 'accepted')
    const { body: job } = await person.client.call(deviceJobs.create, { body: { action: 'tag', tags: ['slow'] } })
    await person.client.call(deviceJobs.stop, { params: { id: job.id } })
    await person.client.call(deviceJobs.stop, { params: { id: job.id } })
    const { body } = await entries(person.client)
    expect(body).toMatchObject([
      { action: 'device.bulk-end', actor: { id: person.id }, details: { state: 'stopped', devices: 400 } },
      { action: 'device.bulk' },
    ])
  })

  it('shows no other namespace the entries of a job', async () => {
    const { person } = await fleet(3, 'accepted')
    const job = await start(person.client, { action: 'tag', tags: ['mine'] })
    expect(await actions(owner.client, { job: job.id })).toEqual([])
    await expect(entries(owner.client, { job: 'x' })).rejects.toMatchObject({ status: 400 })
    await expect(entries(owner.client, { bulk: 'some' })).rejects.toMatchObject({ status: 400 })
  })

  it('of the whole server is folded as well', async () => {
    const { person } = await fleet(3, 'accepted')
    const job = await start(person.client, { action: 'tag', tags: ['mine'] })
    const read = async (query: Record<string, string>) => {
      const { body } = await owner.client.call(administration.listAudit, {
        query: { namespace: person.tenant, per_page: '100', ...query },
      })
      return body.map(({ action }) => action)
    }
    expect(await read({})).toEqual(['device.bulk-end', 'device.bulk'])
    expect(await read({ job: job.id })).toEqual(['device.tags', 'device.tags', 'device.tags'])
    expect(await read({ bulk: 'each' })).toHaveLength(5)
  })
})

describe('the rights of a job', () => {
  /** A member of the owner's namespace, signed in to it. */
  async function memberOf(role: 'observer' | 'operator', name: string) {
    const person = await server.addPerson(name)
    await server.addMember(owner.tenant, person.id, role)
    const { body } = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
    return { id: person.id, client: server.client(body.token) }
  }

  it.each([
    ['observer', 'tag', ['kiosk']],
    ['operator', 'remove', []],
  ] as const)('refuses an %s who wants to %s', async (role, action, tags) => {
    const { client } = await memberOf(role, `${role}-${action}`)
    await expect(client.call(deviceJobs.create, { body: { action, tags: [...tags] } })).rejects.toMatchObject({
      status: 403,
    })
  })

  it('changes nothing more once the person is no member any more', async () => {
    const device = await server.acceptedDevice(owner)
    const { id } = await memberOf('operator', 'leaving')
    // As the server would find it after a restart: asked for, not begun.
    const db = server.database.system()
    const job = await db
      .insertInto('device_jobs')
      .values({ tenant_id: owner.tenant, user_id: id, action: 'tag', tags: ['late'], total: 1, undoes: null })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('device_job_items')
      .values({
        tenant_id: owner.tenant,
        job_id: job.id,
        device_uid: device.uid,
        name: 'x',
        status_before: 'accepted',
        tags_before: [],
      })
      .execute()
    await db
      .updateTable('members')
      .set({ role: 'observer' })
      .where('tenant_id', '=', owner.tenant)
      .where('user_id', '=', id)
      .execute()
    // Another job wakes the loop, which takes the older one first.
    await start(owner.client, { action: 'tag', tags: ['woken'] })
    await until(async () => {
      const row = await db.selectFrom('device_jobs').select('state').where('id', '=', job.id).executeTakeFirst()
      return row?.state === 'stopped'
    })
    const { body } = await owner.client.call(devices.get, { params: { uid: device.uid } })
    expect(body.tags).toEqual(['woken'])
  })

  it('are also those that a role of the namespace gives: who may accept one device rejects many, and undoes it', async () => {
    const { person } = await fleet(3, 'pending')
    const member = await server.addPerson('receptionist')
    await server.addMember(person.tenant, member.id, 'observer')
    const params = { tenant: person.tenant, uid: member.id }
    const body = { name: 'reception', permissions: ['deviceAccept' as const] }
    const made = (await person.client.call(roles.create, { body })).body
    await person.client.call(roles.assign, { params, body: { roles: [made.id] } })
    const switched = await member.client.call(auth.switchNamespace, { params: { tenant: person.tenant } })
    const client = server.client(switched.body.token)
    const job = await start(client, { action: 'reject', status: 'pending' })
    expect(job).toMatchObject({ state: 'done', done: 3 })
    const { body: undo } = await client.call(deviceJobs.undo, { params: { id: job.id } })
    expect(await ended(client, undo)).toMatchObject({ state: 'done', done: 3 })
    expect(await totalOf(person, { status: 'pending' })).toBe(3)
  })

  it('are for the undo those of what it undoes: tags that are taken back leave the status alone', async () => {
    const { person } = await fleet(3, 'pending')
    const job = await start(person.client, { action: 'tag', tags: ['new-tag'], status: 'pending' })
    await start(person.client, { action: 'reject', status: 'pending' })
    const { body: undo } = await person.client.call(deviceJobs.undo, { params: { id: job.id } })
    expect(await ended(person.client, undo)).toMatchObject({ state: 'done', done: 3 })
    expect(await totalOf(person, { status: 'rejected' })).toBe(3)
  })

  it('shows nobody the jobs of others', async () => {
    const job = await start(owner.client, { action: 'untag', tags: ['nothing-has-this'] })
    const { client } = await memberOf('operator', 'curious')
    for (const operation of [deviceJobs.get, deviceJobs.failures, deviceJobs.stop, deviceJobs.retry, deviceJobs.undo])
      await expect(client.call(operation, { params: { id: job.id } })).rejects.toMatchObject({ status: 404 })
    expect((await client.call(deviceJobs.list, {})).body).toEqual([])
  })
})
