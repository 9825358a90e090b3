// Queues events of one session for the database: off the byte path, written in batches, kept while the database is down.
// Memory and rows are bounded: a window can be resized forever.
import type { Clock } from '@bowline/base/clock'
import type { SessionEventRow } from '../../sessions/service.ts'

/** Delay before a batch is written, unless it is full. */
const WAIT_MS = 250
const BATCH = 256
/** Queue limit while the database is down; events above it are dropped. */
const MAX_WAITING = 1_024
/** Limit of events per session; above it only the first event of each type and seat is kept. */
export const MAX_KEPT = 10_000
const MAX_TEXT = 4_096

export interface SessionEvents {
  /** Adds an event of a seat, unless it is a window size that the seat has. Never blocks and never fails. */
  note(type: string, seat: number, data?: SessionEventRow['data']): void
  /** Removes the next batch to write; undefined when the queue is empty. */
  take(): readonly SessionEventRow[] | undefined
  /** Returns a batch that could not be written to the queue. */
  requeue(batch: readonly SessionEventRow[]): void
  /** Stops the timer: `due` is not called any more; the caller takes the rest. */
  stop(): void
}

/** @param due called when a batch should be taken */
export function createSessionEvents(clock: Clock, due: () => void): SessionEvents {
  const waiting: SessionEventRow[] = []
  const seen = new Set<string>()
  /** The last window size by seat. */
  const sizes = new Map<number, string>()
  let kept = 0
  let cancel: (() => void) | undefined
  let stopped = false

  const schedule = (): void => {
    if (stopped) return
    if (waiting.length >= BATCH) {
      cancel?.()
      cancel = undefined
      due()
    } else {
      cancel ??= clock.after(WAIT_MS, () => {
        cancel = undefined
        due()
      })
    }
  }
  return {
    note(type, seat, data = {}) {
      if (type === 'window-change' || type === 'pty-req') {
        const size = `${String(data['columns'])}x${String(data['rows'])}`
        // Clients send their size again whenever they come back.
        if (type === 'window-change' && sizes.get(seat) === size) return
        sizes.set(seat, size)
      }
      const key = `${seat} ${type}`
      // Consecutive window sizes collapse into the last one.
      const last = waiting.at(-1)
      if (type === 'window-change' && last?.type === type && last.seat === seat) waiting.pop()
      else if (kept >= MAX_KEPT && seen.has(key)) return
      else if (waiting.length >= MAX_WAITING) return
      else kept += 1
      seen.add(key)
      waiting.push({ type, seat, at: clock.now(), data: storable(data) })
      schedule()
    },
    take: () => (waiting.length === 0 ? undefined : waiting.splice(0, BATCH)),
    requeue: (batch) => void waiting.unshift(...batch),
    stop() {
      stopped = true
      cancel?.()
    },
  }
}

/** Makes texts storable in PostgreSQL and truncates them. */
function storable(data: SessionEventRow['data']): SessionEventRow['data'] {
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, MAX_TEXT).toWellFormed().replaceAll('\0', '\uFFFD') : value,
  ])
  return Object.fromEntries(entries)
}
