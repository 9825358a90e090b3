import { describe, expect, it } from 'vitest'
import { createQueueLedger } from './queued.ts'

/** A stream whose client reads nothing. */
function stream(writableLength: number) {
  return {
    writableLength,
    isCut: false,
    destroy() {
      this.isCut = true
    },
  }
}

describe('queue ledger of all streams', () => {
  it('destroys the longest queues until half of the limit remains', () => {
    const ledger = createQueueLedger(1_000)
    const [short, long, longest] = [stream(100), stream(350), stream(600)]
    for (const one of [short, long, longest]) ledger.streams.add(one)
    ledger.wrote(1_001)
    expect([short.isCut, long.isCut, longest.isCut]).toEqual([false, false, true])
    expect(ledger.streams.size).toBe(2)
  })

  it('recounts queued bytes before destroying a stream whose client reads', () => {
    const ledger = createQueueLedger(1_000)
    const reader = stream(0)
    ledger.streams.add(reader)
    for (let i = 0; i < 100; i += 1) ledger.wrote(900)
    expect(reader.isCut).toBe(false)
  })
})
