// Decodes and filters session output for the terminal.
import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import type { Terminal } from '@xterm/xterm'

/** Create one per session: a character or sequence may span chunks. */
export function createOutput(
  terminal: Pick<Terminal, 'cols' | 'rows' | 'write'>,
): (bytes: Uint8Array, done: () => void) => void {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const bounded = createBoundedRepeats(() => ({ columns: terminal.cols, rows: terminal.rows }))
  return (bytes, done) => terminal.write(bounded(utf8.decode(bytes, { stream: true })), done)
}
