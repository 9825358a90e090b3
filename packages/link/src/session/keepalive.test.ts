import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, test } from 'vitest'
import { Keepalive } from './keepalive.ts'

function watched(clock: ManualClock) {
  const log: string[] = []
  const keepalive = new Keepalive(
    clock,
    { pingMs: 20_000, deadMs: 45_000 },
    {
      ping: (number) => log.push(`ping ${number} at ${clock.monotonic()}`),
      alive: (roundTripMs) => log.push(`alive ${roundTripMs}`),
      dead: (cause) => log.push(`${cause.reason} at ${clock.monotonic()}`),
    },
  )
  return { keepalive, log }
}

test('declares the peer dead once, after exactly 45 seconds of silence', async () => {
  const clock = new ManualClock()
  const { log } = watched(clock)
  await clock.advanceAsync(600_000)
  expect(log).toEqual(['ping 1 at 20000', 'ping 2 at 40000', 'keepalive at 45000'])
})

test('any received bytes keep the link alive, even when pings go unanswered', async () => {
  const clock = new ManualClock()
  const { keepalive, log } = watched(clock)
  for (let count = 0; count < 10; count += 1) {
    await clock.advanceAsync(44_000)
    keepalive.heard()
  }
  expect(log.filter((line) => line.startsWith('keepalive'))).toEqual([])
  await clock.advanceAsync(45_000)
  expect(log.at(-1)).toBe('keepalive at 485000')
})

test('measures the round trip of the ping that was answered and ignores other pongs', async () => {
  const clock = new ManualClock()
  const { keepalive, log } = watched(clock)
  keepalive.answered(0)
  await clock.advanceAsync(20_000)
  keepalive.answered(7)
  await clock.advanceAsync(123)
  keepalive.answered(1)
  keepalive.answered(1)
  expect(log).toEqual(['ping 1 at 20000', 'alive 123'])
})

test('does nothing after it is stopped', async () => {
  const clock = new ManualClock()
  const { keepalive, log } = watched(clock)
  keepalive.stop()
  await clock.advanceAsync(600_000)
  expect([log, clock.pending]).toEqual([[], 0])
})

test('accepts the pings of a minute at once, and two a second from then on', async () => {
  const clock = new ManualClock()
  const { keepalive } = watched(clock)
  const accepted = (count: number): number =>
    Array.from({ length: count }, () => keepalive.pinged()).filter(Boolean).length
  expect(accepted(100)).toBe(60)
  await clock.advanceAsync(40_000)
  expect(accepted(100)).toBe(40)
})
