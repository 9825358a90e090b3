// Source for a recording without an index, because it is still being made or ended just now: one part that grows.
// Nothing is read twice.
import type { CastEvent } from '@bowline/asciicast/cast'
import { createEventReader, terminalOf, wholeLines } from './cast-pages.ts'
import type { Part, Source } from './source.ts'

const POLL_MS = 500
/** File size limit. The rest can be played once the session is over. */
export const MAX_BYTES = 33_554_432

export interface GrowingParts {
  /** The file's content after a byte offset, as asciicast v3. Rejects when it cannot be read. */
  readonly read: (afterByte: number, signal: AbortSignal) => Promise<Response>
  /** Schedules a callback. @returns cancel */
  readonly later: (work: () => void, delayMs: number) => () => void
  /** More events are available. */
  readonly grown: () => void
}

export interface GrowingSource extends Source {
  /** The recording exceeded the limit for playing it before it is over. */
  readonly full: boolean
}

export function createGrowingSource({ read, later, grown }: GrowingParts): GrowingSource {
  const reader = createEventReader()
  const events: CastEvent[] = []
  const closed = new AbortController()
  const utf8 = new TextEncoder()
  let bytes = 0
  let full = false
  let cancel = () => {}
  let first: Promise<void> | undefined

  async function readOn(): Promise<void> {
    const before = events.length
    const response = await read(bytes, closed.signal)
    try {
      for await (const line of wholeLines(response, MAX_BYTES - bytes)) {
        bytes += utf8.encode(line).length + 1
        const event = reader.next(line)
        if (event) events.push(event)
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      full = true
    }
    if (events.length > before || full) grown()
  }

  function poll(): void {
    if (closed.signal.aborted || full) return
    // Retry: the server may be away for a moment.
    cancel = later(
      () =>
        void readOn()
          .catch(() => undefined)
          .finally(poll),
      POLL_MS,
    )
  }

  async function part(): Promise<Part> {
    first ??= readOn().then(poll)
    await first.catch((error: unknown) => {
      first = undefined
      throw error
    })
    return { fromMs: 0, toMs: Infinity, ...terminalOf(reader.header), events, seenMs: -1 }
  }

  return {
    get endMs() {
      return events.at(-1)?.atMs ?? 0
    },
    get growing() {
      return !full
    },
    get full() {
      return full
    },
    at: part,
    after: () => undefined,
    ready: () => undefined,
    close() {
      closed.abort()
      cancel()
    },
  }
}
