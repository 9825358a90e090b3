// The memory of streams that are not read, all of them together.
import { LIMITS } from '@bowline/contract/limits'

export interface Queue {
  readonly writableLength: number
  /** Ends the stream at once; it leaves the ledger by itself. */
  destroy(): void
}

export interface QueueLedger {
  readonly streams: Set<Queue>
  /** To be told of bytes that were written to a stream. Cuts off the longest queues when all of them are too long. */
  wrote(bytes: number): void
}

/** @param most bytes that may wait in all streams together */
export function createQueueLedger(most: number = LIMITS.eventStreams.queuedBytesOfAll): QueueLedger {
  const streams = new Set<Queue>()
  /** At least what waits: nothing tells of bytes that have gone, so it is counted anew before anybody is cut off. */
  let estimate = 0
  const cutLongest = (): void => {
    const longest = [...streams].sort((a, b) => b.writableLength - a.writableLength)
    for (const stream of longest) {
      if (estimate <= most / 2) return
      estimate -= stream.writableLength
      streams.delete(stream)
      stream.destroy()
    }
  }
  return {
    streams,
    wrote(bytes) {
      estimate += bytes
      if (estimate <= most) return
      estimate = [...streams].reduce((sum, { writableLength }) => sum + writableLength, 0)
      if (estimate > most) cutLongest()
    },
  }
}
