// Groups lines of a screen into passages, the unit of search hits and jumps.

/** Lines that were visible together. */
export interface Passage {
  /** Time of its first line, in milliseconds since the start. */
  readonly atMs: number
  readonly text: string
  /** Default: output. */
  readonly kind?: 'command'
}

const PASSAGE_CHARACTERS = 1_000
const PASSAGE_MS = 5_000
/** Longer lines are not readable text. */
const LINE_CHARACTERS = 8_000
/** Limit of stored text per recording, in characters. */
export const TEXT_LIMIT = 8_000_000

export interface Passages {
  add(atMs: number, line: string): void
  /** Ends the last passage. */
  end(): void
  /** Removes and returns finished passages. */
  take(): Passage[]
}

export function createPassages(): Passages {
  let finished: Passage[] = []
  let open: { atMs: number; text: string } | undefined
  let kept = 0
  const end = (): void => {
    if (open) finished.push(open)
    open = undefined
  }
  return {
    add(atMs, line) {
      if (kept > TEXT_LIMIT) return
      const text = line.slice(0, LINE_CHARACTERS).toWellFormed().replaceAll('\0', ' ')
      kept += text.length
      if (open && (atMs - open.atMs > PASSAGE_MS || open.text.length + text.length > PASSAGE_CHARACTERS)) end()
      if (open) open.text += `\n${text}`
      else open = { atMs, text }
    },
    end,
    take() {
      const taken = finished
      finished = []
      return taken
    },
  }
}
