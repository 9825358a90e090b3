// A link inside one process: the same streams, credit and ends as over a socket.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, it } from 'vitest'
import type { LinkCause } from '../api.ts'
import { RecordedStream, settle } from '../testing/pair.ts'
import { localLink } from './local.ts'

function pair() {
  const clock = new ManualClock()
  const opened: RecordedStream[] = []
  const ends: { gateway?: LinkCause; device?: LinkCause } = {}
  let alive = 0
  const links = localLink({
    clock,
    gateway: {
      open: () => ({ by: 'gateway', reason: 'refused', message: 'no streams here' }),
      alive: () => (alive += 1),
      closed: (cause) => (ends.gateway = cause),
    },
    device: { open: RecordedStream.accept(opened, { consume: false }), closed: (cause) => (ends.device = cause) },
    report: () => undefined,
  })
  return { ...links, clock, opened, ends, beats: () => alive }
}

it('carries bytes and messages of a stream in order', async () => {
  const { gateway, opened } = pair()
  const near = RecordedStream.open(gateway, 'session', { run: 'x' })
  const reused = Buffer.from('first ')
  near.stream.write(reused)
  near.stream.write(Buffer.from('second'))
  near.stream.control({ type: 'signal' })
  near.stream.eof()
  await settle()
  reused.fill(0)
  const [far] = opened
  expect([far?.text(), far?.messages, far?.events]).toEqual([
    'first second',
    [{ type: 'signal' }],
    ['data', 'control', 'eof'],
  ])
})

it('stops a writer whose reader takes nothing, and wakes it when it does', async () => {
  const { gateway, opened } = pair()
  const near = RecordedStream.open(gateway, 'session')
  await settle()
  let written = 0
  while (near.stream.write(Buffer.alloc(65_536))) written += 65_536
  await settle()
  expect(written).toBeLessThan(2_000_000)
  const [far] = opened
  const { drains } = near
  for (let round = 0; round < 50 && near.drains === drains; round += 1) {
    far?.stream?.consumed(far.bytes().length)
    await settle()
  }
  expect(near.drains).toBeGreaterThan(drains)
  expect(near.stream.write(Buffer.from('more'))).toBe(true)
})

it('ends both sides and their streams with the cause', async () => {
  const { gateway, opened, ends } = pair()
  const near = RecordedStream.open(gateway, 'session')
  await settle()
  const cause: LinkCause = { by: 'admin', reason: 'connector-disabled', message: 'switched off' }
  gateway.close(cause)
  await settle()
  expect(ends.gateway).toEqual(cause)
  expect(ends.device).toMatchObject(cause)
  expect([near.cause, opened[0]?.cause]).toMatchObject([cause, cause])
})

it('answers its own pings, so that it counts as alive', async () => {
  const { clock, beats, ends } = pair()
  for (let minute = 0; minute < 10; minute += 1) {
    clock.advance(20_000)
    await settle()
  }
  expect(beats()).toBeGreaterThan(5)
  expect(ends).toEqual({})
})
