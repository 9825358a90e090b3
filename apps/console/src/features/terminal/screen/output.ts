// What a session says, on its way to the terminal that shows it.
import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import type { Terminal } from '@xterm/xterm'

/** For one session: a character or a sequence that one piece begins ends in the next. */
export function createOutput(
  terminal: Pick<Terminal, 'cols' | 'rows' | 'write'>,
): (bytes: Uint8Array, done: () => void) => void {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const bounded = createBoundedRepeats(() => ({ columns: terminal.cols, rows: terminal.rows }))
  return (bytes, done) => terminal.write(bounded(utf8.decode(bytes, { stream: true })), done)
}
