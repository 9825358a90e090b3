// Events of one session on their way to the database: collected beside the bytes, written in batches, kept while the
// database is away. Memory and rows are bounded: a person can resize a window for ever.
import type { Clock } from '@bowline/base/clock'
import type { SessionEventRow } from '../../sessions/service.ts'

/** An event waits this long for others to be written with it, unless a batch is full. */
const WAIT_MS = 250
const BATCH = 256
/** While the database is away: what comes after is not kept. */
const MAX_WAITING = 1_024
/** Kept of one session; after that only its types and seats are. */
export const MAX_KEPT = 10_000
const MAX_TEXT = 4_096

export interface SessionEvents {
  /** Something happened on a seat. Never blocks and never fails. */
  note(type: string, seat: number, data?: SessionEventRow['data']): void
  /** The next batch to write; undefined when there is nothing. */
  take(): readonly SessionEventRow[] | undefined
  /** The batch could not be written: it comes again. */
  giveBack(batch: readonly SessionEventRow[]): void
  /** Stops waiting: what is collected can be taken now, and nothing is asked to be written any more. */
  stop(): void
}

/** @param due called when a batch should be taken */
export function createSessionEvents(clock: Clock, due: () => void): SessionEvents {
  const waiting: SessionEventRow[] = []
  const seen = new Set<string>()
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
      const key = `${seat} ${type}`
      // Of the sizes that a window went through at once only the last matters.
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
    giveBack: (batch) => void waiting.unshift(...batch),
    stop() {
      stopped = true
      cancel?.()
    },
  }
}

/** Texts as PostgreSQL can keep them, and not for ever long. */
function storable(data: SessionEventRow['data']): SessionEventRow['data'] {
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, MAX_TEXT).toWellFormed().replaceAll('\0', '\uFFFD') : value,
  ])
  return Object.fromEntries(entries)
}
