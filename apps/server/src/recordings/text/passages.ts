// Lines of a screen as passages: what one hit of a search shows and jumps to.

/** Some lines that were to be seen together. */
export interface Passage {
  /** When its first line was, in milliseconds since the start. */
  readonly atMs: number
  readonly text: string
}

const PASSAGE_CHARACTERS = 1_000
const PASSAGE_MS = 5_000
/** A line beyond this is no text that people read. */
const LINE_CHARACTERS = 8_000
/** Kept of one recording, in characters. */
export const TEXT_LIMIT = 8_000_000

export interface Passages {
  add(atMs: number, line: string): void
  /** Ends the last passage. */
  end(): void
  /** The finished ones. */
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
