// Decodes and filters session output for the terminal.
import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import type { Terminal } from '@xterm/xterm'

/**
 * A flood is written in batches: the terminal draws after each write, and drawing what scrolls away at once would take
 * most of the page's time. Up to so many bytes in a pause are written as they come, as the echo of keys.
 */
export const FLOOD_BYTES = 16 * 1024
/** Half of the protocol's window: the next bytes are on the way while a batch is shown. Hardly any output fills it in a pause. */
export const BATCH_BYTES = 512 * 1024
/** Nobody reads what scrolls by: sixteen frames a second still move, and sixty would cost several times as much. */
export const PAUSE_MS = 60

export interface OutputClock {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  readonly later: (work: () => void, delayMs: number) => unknown
}

const PAGE_CLOCK: OutputClock = { now: () => performance.now(), later: (work, delayMs) => setTimeout(work, delayMs) }

/** Create one per session: a character or sequence may span chunks. */
export function createOutput(
  terminal: Pick<Terminal, 'cols' | 'rows' | 'write'>,
  { now, later }: OutputClock = PAGE_CLOCK,
): (bytes: Uint8Array, done: () => void) => void {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const bounded = createBoundedRepeats(() => ({ columns: terminal.cols, rows: terminal.rows }))
  let held = ''
  let heldBytes = 0
  let waiting: (() => void)[] = []
  let isFlushDue = false
  let pauseBegan = -Infinity
  /** Bytes since then. */
  let recent = 0

  function flush(): void {
    if (waiting.length === 0) return
    const dones = waiting
    terminal.write(held, () => {
      for (const done of dones) done()
    })
    held = ''
    heldBytes = 0
    waiting = []
  }

  return (bytes, done) => {
    held += bounded(utf8.decode(bytes, { stream: true }))
    heldBytes += bytes.length
    waiting.push(done)
    if (now() - pauseBegan >= PAUSE_MS) {
      pauseBegan = now()
      recent = 0
    }
    recent += bytes.length
    if (recent <= FLOOD_BYTES || heldBytes >= BATCH_BYTES) return flush()
    if (isFlushDue) return
    isFlushDue = true
    later(() => {
      isFlushDue = false
      flush()
    }, PAUSE_MS)
  }
}
