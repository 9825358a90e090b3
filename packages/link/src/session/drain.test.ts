// Tests that a writer that waits learns how much of what it has written is sent.
import { expect, test } from 'vitest'
import { RecordedStream, linkPair, settle } from '../testing/pair.ts'

test('drain tells of every 64 KiB that is sent, before everything is', async () => {
  const accepted: RecordedStream[] = []
  const { gateway } = linkPair({
    options: { windowBytes: 100_000, windowMaxBytes: 100_000 },
    agent: { open: RecordedStream.accept(accepted, { consume: false }) },
  })
  const own = RecordedStream.open(gateway, 'dial')
  expect(own.stream.write(new Uint8Array(250_000))).toBe(false)
  await settle()
  expect([own.drains, own.stream.queuedBytes]).toEqual([1, 150_000])
  accepted[0]?.stream?.consumed(60_000)
  await settle()
  expect([own.drains, own.stream.queuedBytes]).toEqual([1, 90_000])
  accepted[0]?.stream?.consumed(40_000)
  await settle()
  expect([own.drains, own.stream.queuedBytes]).toEqual([2, 50_000])
})
