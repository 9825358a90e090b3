// Memory limit for unread bytes of all streams together.
import { LIMITS } from '@bowline/contract/limits'

export interface Queue {
  readonly writableLength: number
  /** Ends the stream at once; it removes itself from the ledger. */
  destroy(): void
}

export interface QueueLedger {
  readonly streams: Set<Queue>
  /** Records bytes written to a stream. Destroys the longest queues when the total exceeds the limit. */
  wrote(bytes: number): void
}

/** @param most limit of queued bytes in all streams together */
export function createQueueLedger(most: number = LIMITS.eventStreams.queuedBytesOfAll): QueueLedger {
  const streams = new Set<Queue>()
  /** Upper bound of queued bytes: sent bytes are not reported, so it is recounted before any stream is destroyed. */
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
