// Health of devices, from a reading to the API.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import type { HealthReport } from '@bowline/link/stream-messages'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'
import { type HealthCollector, createHealthCollector } from './collector.ts'
import { forgetHealth } from './retention.ts'
import { healthReport, withDisk, withMemory } from './testing.ts'

const { health, devices } = operations
const HOUR_MS = 3_600_000

let server: BootedServer
let person: Person
let device: RegisteredDevice
let clock: ManualClock
let collector: HealthCollector
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ clock })
  person = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  await system().deleteFrom('devices').execute()
  device = await server.acceptedDevice(person)
  collector = createHealthCollector({ system: system(), clock, log: silentLog })
})

const system = () => server.database.system()
const follow = (of: RegisteredDevice = device, tenant = person.tenant) => collector.follow({ uid: of.uid, tenant })
const now = (report: HealthReport | 'off' | 'unsupported', latencyMs?: number) => ({
  at: clock.now(),
  report,
  latencyMs,
})
const history = async (period: 'day' | 'month' = 'day') =>
  (await person.client.call(health.ofDevice, { params: { uid: device.uid }, query: { period } })).body
const known = async (period?: 'day' | 'month') => (await history(period)).points.filter(({ disk }) => disk !== null)
const one = async () => (await person.client.call(devices.get, { params: { uid: device.uid } })).body
async function reported(report: HealthReport | 'off' | 'unsupported', latencyMs?: number, of = device): Promise<void> {
  follow(of).note(now(report, latencyMs))
  await collector.write()
}
/** Names in a list of devices. */
async function found(query: { trouble?: string; sort_by?: 'disk' | 'load' | 'booted_at' }): Promise<string[]> {
  const { trouble, ...order } = query
  const params = { name: 'trouble', operator: 'eq', value: trouble }
  const filter = Buffer.from(JSON.stringify([{ type: 'property', params }])).toString('base64')
  const { body } = await person.client.call(devices.list, { query: { ...order, ...(trouble ? { filter } : {}) } })
  return body.map(({ uid }) => uid)
}

describe('a device that has reported', () => {
  it('is described with its values', async () => {
    await reported(healthReport(), 31.4)
    expect((await one()).health).toEqual({
      state: 'reported',
      reported_at: new Date(clock.now()).toISOString(),
      cpu: 10,
      load: 0.1,
      cpus: 4,
      memory: 50,
      memory_bytes: 8_589_934_592,
      memory_available_bytes: 4_294_967_296,
      disk: 25,
      filesystems: [{ path: '/', total_bytes: 107_374_182_400, free_bytes: 80_530_636_800 }],
      booted_at: new Date(Math.round((clock.now() - 864_000_000) / 1_000) * 1_000).toISOString(),
      latency_ms: 31,
      troubles: [],
    })
  })

  it('has its history in steps, with gaps where no report is', async () => {
    await reported(healthReport({ load: 1 }), 20)
    const { points, latest, step_seconds } = await history()
    expect(points).toHaveLength(288)
    expect(step_seconds).toBe(300)
    expect(points.at(-1)).toMatchObject({ cpu: 10, memory: 50, disk: 25, load: 0.25, latency_ms: 20 })
    expect(points.slice(0, -1).every(({ cpu }) => cpu === null)).toBe(true)
    expect(latest?.disk).toBe(25)
  })

  it('has no values any more once its operator has switched them off, but its link is measured', async () => {
    await reported(healthReport(), 20)
    clock.advance(1_000)
    await reported('off', 40)
    expect((await one()).health).toMatchObject({ state: 'off', cpu: null, disk: null, filesystems: [], latency_ms: 40 })
  })

  it('is described without health before its first report', async () => {
    expect(await one()).not.toHaveProperty('health')
    expect((await history()).latest).toBeNull()
  })
})

describe('writing', () => {
  it('waits for a quarter of an hour while little changes, and loses no point', async () => {
    const link = follow()
    link.note(now(healthReport()))
    await collector.write()
    for (const used of [26, 27]) {
      clock.advance(300_000)
      link.note(now(withDisk(used)))
      await collector.write()
    }
    expect(await known()).toHaveLength(1)
    clock.advance(300_000)
    link.note(now(withDisk(28)))
    await collector.write()
    expect((await known()).map(({ disk }) => disk)).toEqual([25, 26, 27, 28])
  })

  it.each([
    ['a disk that fills', withDisk(31)],
    ['memory that is freed', withMemory(45)],
    ['load beyond its limit', healthReport({ load: 8 })],
  ])('does not wait with %s', async (_, report) => {
    const link = follow()
    link.note(now(healthReport()))
    await collector.write()
    clock.advance(300_000)
    link.note(now(report))
    await collector.write()
    expect((await one()).health?.reported_at).toBe(new Date(clock.now()).toISOString())
  })

  it('writes what is left when a link ends', async () => {
    const link = follow()
    link.note(now(healthReport()))
    await collector.write()
    clock.advance(300_000)
    link.note(now(withDisk(26)))
    link.end()
    await collector.write()
    expect((await one()).health?.disk).toBe(26)
  })

  it('takes one statement for all devices, of however many namespaces', async () => {
    const other = await server.addPerson('grace')
    const more = await Promise.all([server.acceptedDevice(person), server.acceptedDevice(other)])
    const statements = { count: 0 }
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        statements.count += 1
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }
    collector = createHealthCollector({ system: system().withPlugin(counting), clock, log: silentLog })
    follow().note(now(withDisk(1)))
    follow(more[0]).note(now(withDisk(2)))
    follow(more[1], other.tenant).note(now(withDisk(3)))
    await collector.write()
    expect(statements.count).toBe(1)
    const rows = await system().selectFrom('device_health').select(['tenant_id', 'disk']).orderBy('disk').execute()
    expect(rows.map(({ tenant_id }) => tenant_id)).toEqual([person.tenant, person.tenant, other.tenant])
    await collector.write()
    expect(statements.count).toBe(1)
  })

  it('leaves out a device that has been removed, or that is of another namespace than its link says', async () => {
    const gone = await server.acceptedDevice(person)
    const stranger = await server.addPerson('mallory')
    follow(gone).note(now(healthReport()))
    follow(device, stranger.tenant).note(now(healthReport()))
    await person.client.call(devices.remove, { params: { uid: gone.uid } })
    await collector.write()
    expect(await system().selectFrom('device_health').selectAll().execute()).toEqual([])
  })

  it('keeps what could not be written, and writes it when the database is back', async () => {
    const fails = { next: true }
    const failing: KyselyPlugin = {
      transformQuery({ node }) {
        if (fails.next) throw new Error('the database is away')
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }
    collector = createHealthCollector({ system: system().withPlugin(failing), clock, log: silentLog })
    follow().note(now(withDisk(40)))
    await collector.write()
    fails.next = false
    await collector.write()
    expect((await one()).health?.disk).toBe(40)
  })

  it('takes no report that is older than the one that is known', async () => {
    const earlier = now(withDisk(10))
    clock.advance(60_000)
    await reported(withDisk(20))
    follow().note(earlier)
    await collector.write()
    expect((await one()).health?.disk).toBe(20)
  })
})

describe('points over time', () => {
  it('become hours after a day, of which averages and the highest memory and disk are kept', async () => {
    const start = Math.floor(clock.now() / HOUR_MS) * HOUR_MS - 40 * HOUR_MS
    const link = follow()
    for (const [place, used] of [40, 60].entries()) {
      const cpuBusy = used / 100
      link.note({ at: start + place * 300_000, report: { ...withDisk(used), cpuBusy }, latencyMs: used })
    }
    link.note({ at: start + HOUR_MS, report: withDisk(70), latencyMs: 10 })
    await collector.write()
    await forgetHealth(system(), clock.now())
    expect(await known('day')).toEqual([])
    expect((await known('month')).map(({ cpu, disk, latency_ms }) => [cpu, disk, latency_ms])).toEqual([
      [50, 60, 50],
      [10, 70, 10],
    ])
    const rows = await system().selectFrom('device_health_points').select('step_minutes').execute()
    expect(rows.every(({ step_minutes }) => step_minutes === 60)).toBe(true)
  })

  it('are the same in a month before and after they become hours', async () => {
    const start = Math.floor(clock.now() / HOUR_MS) * HOUR_MS - 40 * HOUR_MS
    const link = follow()
    for (const place of [0, 3, 5]) {
      link.note({ at: start + place * 300_000, report: withMemory(50 + place), latencyMs: place * 7 })
    }
    await collector.write()
    const before = await known('month')
    await forgetHealth(system(), clock.now())
    expect(await known('month')).toEqual(before)
    expect(before).toHaveLength(1)
  })

  it('are forgotten after a month', async () => {
    const at = clock.now() - 33 * 24 * HOUR_MS
    follow().note({ at, report: healthReport(), latencyMs: 1 })
    await collector.write()
    await forgetHealth(system(), clock.now())
    expect(await system().selectFrom('device_health_points').selectAll().execute()).toEqual([])
  })
})

describe('devices in trouble', () => {
  it.each([
    ['disk', withDisk(95)],
    ['memory', withMemory(93)],
    ['load', healthReport({ load: 9 })],
    ['rebooted', healthReport({ uptimeSeconds: 600 })],
    ['latency', healthReport()],
  ] as const)('are found by %s', async (trouble, report) => {
    const well = await server.acceptedDevice(person)
    await reported(healthReport(), 20, well)
    await reported(report, trouble === 'latency' ? 900 : 20)
    expect((await one()).health?.troubles).toEqual([trouble])
    expect(await found({ trouble })).toEqual([device.uid])
    expect(await found({ trouble: 'any' })).toEqual(trouble === 'rebooted' ? [] : [device.uid])
    const facets = await person.client.call(devices.facets, { query: { by: 'trouble' } })
    expect(facets.body).toEqual([{ value: trouble, count: 1 }])
  })

  it('are counted for a full disk while they are away, and for nothing else', async () => {
    await reported({ ...withMemory(95), load: 9, filesystems: withDisk(95).filesystems }, 900)
    await sql`update device_health set reported_at = now() - interval '1 hour'`.execute(system())
    expect((await one()).health?.troubles).toEqual(['disk'])
  })

  it('are refused by a word that is no trouble', async () => {
    expect(await outcome(found({ trouble: 'boredom' }))).toContain('400 INVALID_FILTER')
  })

  it('are sorted by their values; those without a report sort as the lowest', async () => {
    const [full, silent] = await Promise.all([server.acceptedDevice(person), server.acceptedDevice(person)])
    await reported(withDisk(20))
    await reported(withDisk(80), 1, full)
    expect(await found({ sort_by: 'disk' })).toEqual([full.uid, device.uid, silent.uid])
  })
})

describe('who may see the health of a device', () => {
  it('are all members of its namespace, and nobody else', async () => {
    await reported(healthReport())
    const observer = await server.addPerson('olivia')
    await server.addMember(person.tenant, observer.id, 'observer')
    const { body } = await observer.client.call(operations.auth.switchNamespace, { params: { tenant: person.tenant } })
    const inside = server.client(body.token)
    const call = { params: { uid: device.uid }, query: {} }
    expect(await outcome(inside.call(health.ofDevice, call))).toBe('200')
    expect(await outcome(observer.client.call(health.ofDevice, call))).toContain('404')
  })
})
