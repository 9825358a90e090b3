import { Terminal } from '@xterm/headless'
import { expect, it } from 'vitest'
import { keptText } from './kept-text.ts'

it('keeps what has scrolled off, joins wrapped lines, and leaves empty lines at the end out', async () => {
  const terminal = new Terminal({ cols: 10, rows: 4, scrollback: 100, allowProposedApi: true })
  const output = ['first', '', 'twelve chars and more', '\u001B[31mred\u001B[0m', 'äöü 漢字', 'last', ''].join('\r\n')
  await new Promise<void>((done) => terminal.write(output, done))
  expect(keptText(terminal.buffer.normal)).toBe('first\n\ntwelve chars and more\nred\näöü 漢字\nlast\n')
})
