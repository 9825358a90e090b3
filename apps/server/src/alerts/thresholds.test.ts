// Alert rules with a threshold: messages, hysteresis and recovery.
import { operations } from '@bowline/contract/operations'
import type { HealthReport } from '@bowline/link/stream-messages'
import { silentLog } from '../platform/log.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createHealthCollector } from '../device-health/collector.ts'
import { healthReport, withDisk, withMemory } from '../device-health/testing.ts'
import { type RegisteredDevice, outcome } from '../testing/boot.ts'
import { alertsWorld } from './testing-world.ts'

const { alerts } = operations

const world = alertsWorld()
const { system, create, deliveriesOf, pass, evaluate, evaluateHealth } = world

const disks = { condition: 'disk', threshold: 90, minutes: 10 }
const texts = async (id: string) => (await deliveriesOf(id)).map(({ text }) => text).toReversed()
const device = (hostname: string) => world.server.acceptedDevice(world.person, { hostname })
async function reported(
  of: RegisteredDevice,
  report: HealthReport | 'off' = withDisk(95),
  latencyMs = 300,
): Promise<void> {
  const collector = createHealthCollector({ system: system(), clock: world.clock, log: silentLog })
  collector.follow({ uid: of.uid, tenant: world.person.tenant }).note({ at: Date.now(), report, latencyMs })
  await collector.write()
}
/** Looks, waits for so many minutes, and looks again. */
async function minutes(count: number): Promise<void> {
  await evaluateHealth()
  await pass(count * 60)
  await evaluateHealth()
}

describe('a rule about disks', () => {
  it('makes one message about all devices that have been above it for long enough', async () => {
    const { id } = await create(disks)
    for (const name of ['one', 'two']) await reported(await device(name))
    await reported(await device('empty'), withDisk(50))
    await minutes(9)
    expect(await texts(id)).toEqual([])
    await minutes(2)
    expect(await texts(id)).toEqual(['one, two (2 devices): 90 % of a disk is used, or more.'])
    const [body] = await world.receiver.received(1)
    expect(JSON.parse(body?.body ?? '{}')).toMatchObject({ type: 'devices.disk', devices: { count: 2 } })
  })

  it('makes one message about a value that moves around the threshold', async () => {
    const { id } = await create(disks)
    const one = await device('one')
    await reported(one)
    await minutes(11)
    for (const used of [89, 91, 86, 95]) {
      await reported(one, withDisk(used))
      await minutes(11)
    }
    expect(await texts(id)).toEqual(['one: 90 % of a disk is used, or more.'])
  })

  it('makes a message about the recovery, and about the next time', async () => {
    const { id } = await create(disks)
    const one = await device('one')
    await reported(one)
    await minutes(11)
    await reported(one, withDisk(84))
    await minutes(11)
    await reported(one)
    await minutes(11)
    expect(await texts(id)).toEqual([
      'one: 90 % of a disk is used, or more.',
      'one: less than 85 % of a disk is used again.',
      'one: 90 % of a disk is used, or more.',
    ])
  })

  it('says nothing of a device that was beyond it for a moment', async () => {
    const { id } = await create(disks)
    const one = await device('one')
    await reported(one)
    await evaluateHealth()
    await reported(one, withDisk(50))
    await minutes(11)
    expect(await texts(id)).toEqual([])
  })

  it('says nothing of the end of a device that is away, or was removed', async () => {
    const { id } = await create(disks)
    const [away, removed] = [await device('away'), await device('removed')]
    await reported(away)
    await reported(removed)
    await minutes(11)
    await world.person.client.call(operations.devices.remove, { params: { uid: removed.uid } })
    await system()
      .updateTable('device_health')
      .set({ disk: 10, reported_at: new Date(Date.now() - 7_200_000) })
      .execute()
    await minutes(11)
    expect(await texts(id)).toHaveLength(1)
  })

  it('is about the devices with its tag only', async () => {
    const { id } = await create({ ...disks, tags: ['kiosk'] })
    const [kiosk, other] = [await device('kiosk'), await device('other')]
    await world.person.client.call(operations.devices.addTag, { params: { uid: kiosk.uid }, body: { tag: 'kiosk' } })
    await reported(kiosk)
    await reported(other)
    await minutes(11)
    expect(await texts(id)).toEqual(['kiosk: 90 % of a disk is used, or more.'])
  })

  it('begins anew with another threshold', async () => {
    const { id } = await create(disks)
    await reported(await device('one'))
    await minutes(11)
    await world.person.client.call(alerts.update, { params: { id }, body: { threshold: 80 } })
    await minutes(11)
    expect(await texts(id)).toEqual(['one: 90 % of a disk is used, or more.', 'one: 80 % of a disk is used, or more.'])
  })
})

it.each([
  ['memory', { condition: 'memory', threshold: 90 }, withMemory(95), 'one: 90 % of the memory is used, or more.'],
  [
    'load',
    { condition: 'load', threshold: 1.5 },
    healthReport({ load: 7 }),
    'one: the load per processor is 1.5, or more.',
  ],
  [
    'latency',
    { condition: 'latency', threshold: 250 },
    healthReport(),
    'one: the round trip of the connection takes 250 ms, or more.',
  ],
] as const)('a rule about %s makes its message', async (_, rule, report, text) => {
  const { id } = await create({ ...rule, minutes: 5 })
  await reported(await device('one'), report)
  await minutes(6)
  expect(await texts(id)).toEqual([text])
})

it('a rule about latency is also about a device that reports nothing else, and makes a message about its recovery', async () => {
  const { id } = await create({ condition: 'latency', threshold: 200, minutes: 5 })
  const one = await device('one')
  await reported(one, 'off', 250)
  await minutes(6)
  // Above nine tenths of the threshold it has not recovered.
  for (const time of [181, 179]) {
    await reported(one, 'off', time)
    await minutes(6)
  }
  expect(await texts(id)).toEqual([
    'one: the round trip of the connection takes 200 ms, or more.',
    'one: the round trip of the connection takes less than 180 ms again.',
  ])
  await world.person.client.call(alerts.update, { params: { id }, body: { threshold: 150 } })
  const { body } = await world.person.client.call(alerts.list, {})
  expect(body.find((rule) => rule.id === id)).toMatchObject({ condition: 'latency', threshold: 150 })
})

it('a rule about latency is one about presence after infinity to servers that do not know it', async () => {
  const { id } = await create({ condition: 'latency', threshold: 200 })
  const known = system().selectFrom('alert_rules').select('threshold').where('id', '=', id)
  expect(await known.where(sql<boolean>`evaluated_to = 'infinity'`).execute()).toEqual([{ threshold: null }])
})

it.each([disks, { condition: 'latency', threshold: 200, minutes: 10 }])(
  'a rule with a threshold makes no message about devices that come back, whatever evaluates it ($condition)',
  async (rule) => {
    const { id } = await create(rule)
    await world.depart(1)
    await pass(3_600)
    await world.comeBack()
    await evaluate()
    await minutes(11)
    expect(await texts(id)).toEqual([])
  },
)

it.each([
  ['a rule about disks without a threshold', { condition: 'disk' }],
  ['a rule about presence with one', { condition: 'offline', threshold: 90 }],
  ['a threshold above 100', { condition: 'disk', threshold: 101 }],
  ['a latency of parts of a millisecond', { condition: 'latency', threshold: 250.5 }],
  ['a latency beyond what is measured', { condition: 'latency', threshold: 30_001 }],
])('refuses %s', async (_, values) => {
  expect(await outcome(create(values))).toBe('400 INVALID_INPUT threshold')
})
