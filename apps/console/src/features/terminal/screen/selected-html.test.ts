import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes'
import { Terminal } from '@xterm/headless'
import { expect, it } from 'vitest'
import { htmlOf } from './selected-html.ts'

const THEME = { foreground: '#eee', background: '#111', red: '#c00', brightRed: '#f00' }
const PRE = '<pre style="color: #eee; background-color: #111; font-family: &quot;Mono&quot;">'

async function html(output: string, end = { x: 20, y: 2 }): Promise<string> {
  const terminal = new Terminal({ cols: 20, rows: 3, allowProposedApi: true })
  terminal.loadAddon(new UnicodeGraphemesAddon())
  await new Promise<void>((done) => terminal.write(output, done))
  const from = { buffer: terminal.buffer.active, cols: 20, theme: THEME, fontFamily: '"Mono"' }
  return htmlOf(from, { start: { x: 0, y: 0 }, end })
}

it('has colours and styles, joins wrapped lines, and ends lines where they end', async () => {
  const output = 'one \u001B[31mred\u001B[1m bold\u001B[0m\r\n0123456789012345678901\u001B[7mx\u001B[0m'
  expect(await html(output)).toBe(
    `${PRE}one <span style="color: #c00">red</span><span style="color: #f00; font-weight: bold"> bold</span>
0123456789012345678901<span style="color: #111; background-color: #eee">x</span></pre>`,
  )
  expect(await html('漢字 é', { x: 7, y: 0 })).toBe(`${PRE}漢字 é</pre>`)
})

it.each([
  ['alone', '<img src=x onerror=1 '],
  ['in a cell with another character', '\u0600<img src=x onerror=1 '],
  ['with an accent', '<\u0301img src=x '],
  ['as a reference', '&lt;img&gt;"\u0600&lt;'],
])('leaves what a device has sent as text: markup %s', async (_name, output) => {
  const inside = (await html(output)).slice(PRE.length, -'</pre>'.length)
  expect(inside).not.toMatch(/[<>"]/)
  const shown = inside.replace(
    /&(lt|gt|quot|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? '&',
  )
  expect(shown.replaceAll('\n', '').trim()).toBe(output.trim())
})
