import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import headless from '@xterm/headless'
import { array, assert, asyncProperty, constantFrom, integer, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScreen } from './screen.ts'

const SIZE = { columns: 13, rows: 7 }
const FILLED = Array.from({ length: SIZE.rows }, (_, row) => `line ${row} abcdef`.slice(0, SIZE.columns)).join('\r\n')

/** The screen of a terminal of that size that executes every repetition. */
async function patient(output: string): Promise<string> {
  const terminal = new headless.Terminal({
    cols: SIZE.columns,
    rows: SIZE.rows,
    allowProposedApi: true,
    logLevel: 'off',
  })
  await new Promise<void>((resolve) => terminal.write(output, resolve))
  const { active } = terminal.buffer
  const lines = Array.from({ length: SIZE.rows }, (_, row) =>
    active.getLine(active.baseY + row)?.translateToString(true),
  )
  terminal.dispose()
  return lines.join('\n')
}

/** The server's screen for output that arrives in pieces. */
async function shown(pieces: readonly string[]): Promise<string> {
  const screen = await createScreen({ ...SIZE, hasTerminal: true, line: () => undefined })
  for (const piece of pieces) screen.write(piece, 0)
  let picture = ''
  screen.picture((made) => (picture = made))
  await screen.settled()
  screen.close()
  return patient(picture)
}

describe('createScreen', () => {
  // The reference terminal can do ten thousand; that fills lines as far as 2,147,483,647 would.
  it.each('@ILMPSTXZb'.split(''))('executes CSI 2147483647 %s split at any byte', async (final) => {
    const output = (times: number): string => `${FILLED}\u001b[3;5Hx\u001b[${times}${final}y`
    const expected = await patient(output(10_000 + ((2_147_483_647 - 10_000) % SIZE.columns)))
    const huge = output(2_147_483_647)
    for (let at = FILLED.length; at < huge.length; at += 1) {
      expect(await shown([huge.slice(0, at), huge.slice(at)])).toBe(expected)
    }
    expect(await shown(huge.split(''))).toBe(expected)
  })

  it('bounds repeat counts by the screen size at that time', async () => {
    const screen = await createScreen({ ...SIZE, hasTerminal: true, line: () => undefined })
    screen.write('\u001b[2147483647b', 0)
    screen.resize(20, 40)
    screen.write(`${'line\r\n'.repeat(39)}\u001b[H\u001b[2147483647Ltop`, 0)
    const pictures: [text: string, columns: number, rows: number][] = []
    screen.picture((text, ...size) => pictures.push([text.trim(), ...size]))
    await screen.settled()
    screen.close()
    expect(pictures).toEqual([['top', 20, 40]])
  })

  it('bounds repeat counts for arbitrary output', async () => {
    const begin = constantFrom('\u001b[', '\u009b', '\u001b\n[', '\u001b', '\u001b]', '\u001bP', 'x')
    const inner = constantFrom('9', '99999999', '\n', '\u007f', ';', ':', '?', ' ', '\u0018', '\u001b', '\u009b', 'é')
    const part = tuple(begin, array(inner, { maxLength: 4 }), constantFrom('S', 'b', 'Z', 'm', ''))
    const most = SIZE.columns * SIZE.rows + SIZE.columns
    await assert(
      asyncProperty(array(part, { maxLength: 6 }), integer({ min: 0, max: 60 }), async (parts, at) => {
        const terminal = new headless.Terminal({
          cols: SIZE.columns,
          rows: SIZE.rows,
          allowProposedApi: true,
          logLevel: 'off',
        })
        const asked: number[] = []
        for (const final of '@ILMPSTXZb') {
          terminal.parser.registerCsiHandler({ final }, ([first]) => {
            asked.push(typeof first === 'number' ? first : 0)
            return true
          })
        }
        const bounded = createBoundedRepeats(() => SIZE)
        const text = parts.flat(2).join('')
        for (const piece of [text.slice(0, at), text.slice(at)]) terminal.write(bounded(piece))
        await new Promise<void>((resolve) => terminal.write('', resolve))
        terminal.dispose()
        expect(asked.filter((times) => times > most)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
