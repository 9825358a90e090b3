// Writes asciicast: version 3, whose times are intervals, and version 2 for players that support no other.
import type { CastCode, CastEvent, CastHeader } from './cast.ts'

/** First line of a version 3 file. */
export function headerLine({ columns, rows, term, timestamp }: CastHeader): string {
  const terminal = { cols: columns, rows, ...(term ? { type: term } : {}) }
  return line({ version: 3, term: terminal, ...(timestamp === undefined ? {} : { timestamp }) })
}

/** Lines of events of a version 3 file, in order. */
export interface EventLines {
  /**
   * @param atMs whole milliseconds since the start; an earlier time than the last one counts as that one
   * @returns the line with its newline
   */
  next(code: CastCode, data: string, atMs: number): string
  /** The same in two parts: before and after the data, a JSON string produced elsewhere. */
  around(code: CastCode, atMs: number): readonly [before: string, after: string]
  /** Time of the last event, in milliseconds since the start. */
  readonly atMs: number
}

/** @param fromMs time of the last event already written */
export function createEventLines(fromMs = 0): EventLines {
  let last = fromMs
  function around(code: CastCode, atMs: number): readonly [string, string] {
    const now = Math.max(last, Math.round(atMs))
    // Differences of whole milliseconds are exact, so that intervals add up without error.
    const interval = (now - last) / 1_000
    last = now
    return [`[${interval},"${code}",`, ']\n']
  }
  return {
    get atMs() {
      return last
    },
    next: (code, data, atMs) => around(code, atMs).join(JSON.stringify(data)),
    around,
  }
}

/** First line of a version 2 file. */
export function v2HeaderLine({ columns, rows, term, timestamp }: CastHeader): string {
  const env = term ? { env: { TERM: term } } : {}
  return line({ version: 2, width: columns, height: rows, ...(timestamp === undefined ? {} : { timestamp }), ...env })
}

/** An event line of a version 2 file; undefined for an exit status, which version 2 cannot express. */
export function v2EventLine({ atMs, code, data }: CastEvent): string | undefined {
  return code === 'x' ? undefined : line([Math.round(atMs * 1_000) / 1_000_000, code, data])
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
