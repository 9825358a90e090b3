// Polls of devices over links in memory.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { LinkMessage, LinkStream } from '@bowline/link/api'
import { linkPair } from '@bowline/link/testing/pair'
import { until } from '@bowline/testkit/until'
import { beforeEach, expect, it } from 'vitest'
import type { Reading } from '../../device-health/reading.ts'
import { healthReport } from '../../device-health/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { createHealthPoller } from './health-poller.ts'

const device = { kind: 'device', uid: 'aa' as DeviceUid, tenant: 't' as TenantId, proven: true } as const

let clock: ManualClock
let readings: Reading[]
let ended: number
let isNewest: boolean

beforeEach(() => {
  clock = new ManualClock(1_000_000)
  readings = []
  ended = 0
  isNewest = true
})

function polling(answer: (stream: LinkStream) => void, refusal?: { by: 'agent'; reason: string; message: string }) {
  const polls: LinkStream[] = []
  const pair = linkPair({
    agent: {
      open(_, __, stream) {
        if (refusal) return refusal
        polls.push(stream)
        queueMicrotask(() => answer(stream))
        return { data: () => undefined, closed: () => undefined }
      },
    },
  })
  const poller = createHealthPoller({
    collector: { follow: () => ({ note: (reading) => void readings.push(reading), end: () => void (ended += 1) }) },
    clock,
    log: silentLog,
    isNewest: () => isNewest,
    random: () => 0.5,
  })
  poller.start()
  const link = poller.add(device, pair.gateway)
  return { polls, link, pair }
}
/** One after the other: an interval of the clock fires once in each. */
function seconds(count: number): void {
  for (let passed = 0; passed < count; passed += 1) clock.advance(1_000)
}
const reporting = (message: LinkMessage) => (stream: LinkStream) => {
  stream.control(message)
  stream.close()
}

it('polls soon after the link is up, and then every five minutes', async () => {
  const { polls } = polling(reporting(healthReport()))
  seconds(5)
  expect(polls).toEqual([])
  seconds(1)
  await until(() => readings.length === 1)
  expect(readings[0]).toEqual({ at: clock.now(), report: healthReport(), latencyMs: undefined })
  seconds(299)
  expect(polls).toHaveLength(1)
  seconds(1)
  await until(() => readings.length === 2)
})

it('notes the round trip of pings, smoothed so that a single slow one counts little', async () => {
  const { link } = polling(reporting(healthReport()))
  link.alive(20)
  link.alive(100)
  seconds(6)
  await until(() => readings.length === 1)
  expect(readings[0]?.latencyMs).toBe(30)
})

it.each([
  ['refused', 'off'],
  ['unsupported', 'unsupported'],
] as const)('polls a device that answers %s once only, and still notes its round trips', async (reason, state) => {
  const { link, polls } = polling(() => undefined, { by: 'agent', reason, message: 'no' })
  link.alive(20)
  seconds(6)
  await until(() => readings.length === 1)
  seconds(300)
  await until(() => readings.length === 2)
  expect(readings.map(({ report, latencyMs }) => [report, latencyMs])).toEqual([
    [state, 20],
    [state, 20],
  ])
  expect(polls).toEqual([])
})

it('polls a device again that was busy', async () => {
  const busy = { by: 'agent', reason: 'busy', message: 'later' } as const
  const { pair } = polling(() => undefined, busy)
  seconds(6)
  await until(() => pair.gateway.streamCount === 0)
  expect(readings).toEqual([])
})

it.each<[string, (stream: LinkStream) => void]>([
  ['a share above 1', reporting(healthReport({ cpuBusy: 1.5 }))],
  ['a number that is none', reporting({ ...healthReport(), load: 'high' })],
  ['more memory available than there is', reporting(healthReport({ memory: { totalBytes: 1, availableBytes: 2 } }))],
  [
    'too many filesystems',
    reporting(
      healthReport({
        filesystems: Array.from({ length: 5 }, () => ({ path: '/', totalBytes: 2, freeBytes: 1 })),
      }),
    ),
  ],
  [
    'a path with control characters',
    reporting(healthReport({ filesystems: [{ path: '/\u001b[2J', totalBytes: 2, freeBytes: 1 }] })),
  ],
  ['bytes instead of a message', (stream) => void stream.write(new Uint8Array(100))],
])('drops a report with %s; the link stays, and is polled again', async (_, answer) => {
  const { polls, pair } = polling(answer)
  seconds(6)
  await until(() => polls.length === 1 && pair.gateway.streamCount === 0)
  expect(readings).toEqual([])
  expect(pair.ends).toEqual({})
  seconds(300)
  await until(() => polls.length === 2)
})

it('takes one answer to a question, however many a device sends', async () => {
  const { pair } = polling((stream) => {
    for (let times = 0; times < 100; times += 1) stream.control(healthReport())
  })
  seconds(6)
  await until(() => readings.length > 0 && pair.gateway.streamCount === 0)
  expect(readings).toHaveLength(1)
  expect(pair.ends).toEqual({})
})

it('gives an answer up that does not come within half a minute', async () => {
  const { pair, polls } = polling(() => undefined)
  seconds(6)
  await until(() => polls.length === 1)
  seconds(29)
  expect(pair.gateway.streamCount).toBe(1)
  seconds(1)
  expect(pair.gateway.streamCount).toBe(0)
})

it('does not poll a link that a newer one has replaced, nor one that has ended', async () => {
  isNewest = false
  const { link, polls } = polling(reporting(healthReport()))
  seconds(6)
  isNewest = true
  link.closed()
  seconds(600)
  expect(polls).toEqual([])
  expect(ended).toBe(1)
})
