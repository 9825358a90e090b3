// Devices that are asked how they are, over links in memory.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { LinkMessage, LinkStream } from '@bowline/link/api'
import { linkPair } from '@bowline/link/testing/pair'
import { until } from '@bowline/testkit/until'
import { beforeEach, expect, it } from 'vitest'
import type { Reading } from '../../device-health/reading.ts'
import { healthReport } from '../../device-health/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { createHealthRounds } from './health-rounds.ts'

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

function rounds(answer: (stream: LinkStream) => void, refusal?: { by: 'agent'; reason: string; message: string }) {
  const questions: LinkStream[] = []
  const pair = linkPair({
    agent: {
      open(_, __, stream) {
        if (refusal) return refusal
        questions.push(stream)
        queueMicrotask(() => answer(stream))
        return { data: () => undefined, closed: () => undefined }
      },
    },
  })
  const asking = createHealthRounds({
    collector: { follow: () => ({ note: (reading) => void readings.push(reading), end: () => void (ended += 1) }) },
    clock,
    log: silentLog,
    isNewest: () => isNewest,
    random: () => 0.5,
  })
  asking.start()
  const link = asking.add(device, pair.gateway)
  return { questions, link, pair }
}
/** One after the other: an interval of the clock fires once in each. */
function seconds(count: number): void {
  for (let passed = 0; passed < count; passed += 1) clock.advance(1_000)
}
const tell = (message: LinkMessage) => (stream: LinkStream) => {
  stream.control(message)
  stream.close()
}

it('asks soon after the link is up, and then every five minutes', async () => {
  const { questions } = rounds(tell(healthReport()))
  seconds(5)
  expect(questions).toEqual([])
  seconds(1)
  await until(() => readings.length === 1)
  expect(readings[0]).toEqual({ at: clock.now(), report: healthReport(), latencyMs: undefined })
  seconds(299)
  expect(questions).toHaveLength(1)
  seconds(1)
  await until(() => readings.length === 2)
})

it('tells the round trip of pings, in which a single slow one counts little', async () => {
  const { link } = rounds(tell(healthReport()))
  link.alive(20)
  link.alive(100)
  seconds(6)
  await until(() => readings.length === 1)
  expect(readings[0]?.latencyMs).toBe(30)
})

it.each([
  ['refused', 'off'],
  ['unsupported', 'unsupported'],
] as const)('asks a device that answers %s once only, and still tells of its link', async (reason, state) => {
  const { link, questions } = rounds(() => undefined, { by: 'agent', reason, message: 'no' })
  link.alive(20)
  seconds(6)
  await until(() => readings.length === 1)
  seconds(300)
  await until(() => readings.length === 2)
  expect(readings.map(({ report, latencyMs }) => [report, latencyMs])).toEqual([
    [state, 20],
    [state, 20],
  ])
  expect(questions).toEqual([])
})

it('takes a device that is busy for none that tells nothing', async () => {
  const busy = { by: 'agent', reason: 'busy', message: 'later' } as const
  const { pair } = rounds(() => undefined, busy)
  seconds(6)
  await until(() => pair.gateway.streamCount === 0)
  expect(readings).toEqual([])
})

it.each<[string, (stream: LinkStream) => void]>([
  ['a share above 1', tell(healthReport({ cpuBusy: 1.5 }))],
  ['a number that is none', tell({ ...healthReport(), load: 'high' })],
  ['more memory available than there is', tell(healthReport({ memory: { totalBytes: 1, availableBytes: 2 } }))],
  [
    'too many filesystems',
    tell(
      healthReport({
        filesystems: Array.from({ length: 5 }, () => ({ path: '/', totalBytes: 2, freeBytes: 1 })),
      }),
    ),
  ],
  [
    'a path with control characters',
    tell(healthReport({ filesystems: [{ path: '/\u001b[2J', totalBytes: 2, freeBytes: 1 }] })),
  ],
  ['bytes instead of a message', (stream) => void stream.write(new Uint8Array(100))],
])('drops an answer with %s; the link stays, and is asked again', async (_, answer) => {
  const { questions, pair } = rounds(answer)
  seconds(6)
  await until(() => questions.length === 1 && pair.gateway.streamCount === 0)
  expect(readings).toEqual([])
  expect(pair.ends).toEqual({})
  seconds(300)
  await until(() => questions.length === 2)
})

it('takes one answer to a question, however many a device sends', async () => {
  const { pair } = rounds((stream) => {
    for (let times = 0; times < 100; times += 1) stream.control(healthReport())
  })
  seconds(6)
  await until(() => readings.length > 0 && pair.gateway.streamCount === 0)
  expect(readings).toHaveLength(1)
  expect(pair.ends).toEqual({})
})

it('gives an answer up that does not come within half a minute', async () => {
  const { pair, questions } = rounds(() => undefined)
  seconds(6)
  await until(() => questions.length === 1)
  seconds(29)
  expect(pair.gateway.streamCount).toBe(1)
  seconds(1)
  expect(pair.gateway.streamCount).toBe(0)
})

it('does not ask a link that a newer one has replaced, nor one that has ended', async () => {
  isNewest = false
  const { link, questions } = rounds(tell(healthReport()))
  seconds(6)
  isNewest = true
  link.closed()
  seconds(600)
  expect(questions).toEqual([])
  expect(ended).toBe(1)
})
