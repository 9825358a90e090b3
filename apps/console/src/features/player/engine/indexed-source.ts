// Source for an indexed recording: parts run from keyframe to keyframe, are fetched on demand or prefetched, and cached
// in an LRU cache. So memory use does not depend on the length, and a seek costs at most one request.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import { recordedMs } from '../../sessions/duration.ts'
import { type CastPage, terminalOf } from './cast-pages.ts'
import type { Part, Source } from './source.ts'

/** Cache size in parts: at about 64 KiB each, a few megabytes. */
const KEPT = 48
/** Prefetch distance: fast output has many keyframes a second. */
const AHEAD = 4

/**
 * Reads the events between two times in milliseconds, both inclusive; the screen at the first time comes first.
 * Rejects when it cannot.
 */
export type ReadRange = (fromMs: number, toMs: number, signal: AbortSignal) => Promise<CastPage>

export function createIndexedSource(index: RecordingIndex, read: ReadRange): Source {
  const endMs = recordedMs(index, index.seconds)
  const lastMs = Math.round(index.seconds * 1_000)
  const starts = startsOf(index)
  const closed = new AbortController()
  /** In LRU order, most recently used last. */
  const cached = new Map<number, { readonly promise: Promise<Part>; part?: Part }>()

  async function load(number: number): Promise<Part> {
    const fromMs = starts[number] ?? 0
    const toMs = starts[number + 1] ?? Infinity
    const { header, events } = await read(fromMs, Math.min(toMs, lastMs), closed.signal)
    // A keyframe includes everything before it; the previous part ends with all events of the same moment.
    return { fromMs, toMs, ...terminalOf(header), events, seenMs: number === 0 ? -1 : fromMs }
  }

  function want(number: number): Promise<Part> {
    const known = cached.get(number)
    cached.delete(number)
    const entry: { promise: Promise<Part>; part?: Part } = known ?? { promise: load(number) }
    cached.set(number, entry)
    if (known) return entry.promise
    entry.promise.then(
      (part) => (entry.part = part),
      () => cached.get(number) === entry && cached.delete(number),
    )
    for (const oldest of cached.keys()) {
      if (cached.size <= KEPT) break
      cached.delete(oldest)
    }
    return entry.promise
  }

  function wantAhead(number: number): void {
    for (let next = number + 1; next <= number + AHEAD && next < starts.length; next += 1) {
      if (!cached.has(next)) void want(next).catch(() => undefined)
    }
  }

  const numberOf = (part: Part): number => indexAt(starts, part.fromMs)

  return {
    endMs,
    growing: false,
    at(ms) {
      const number = indexAt(starts, ms)
      return want(number)
    },
    after(part) {
      const number = numberOf(part) + 1
      if (number >= starts.length) return undefined
      const promise = want(number)
      wantAhead(number)
      return promise
    },
    ready(part) {
      const number = numberOf(part)
      wantAhead(number)
      return cached.get(number + 1)?.part
    },
    close: () => closed.abort(),
  }
}

/** Keyframe times in milliseconds; of several at the same time the server uses the last. */
function startsOf({ keyframes }: RecordingIndex): number[] {
  return [...new Set([0, ...keyframes.map(({ time }) => Math.round(time * 1_000))])]
}

/** Index of the last keyframe at or before a time. */
function indexAt(starts: readonly number[], ms: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= ms) low = middle
    else high = middle - 1
  }
  return low
}
