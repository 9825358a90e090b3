// Bounds control functions that a terminal repeats up to 2,147,483,647 times: a single one would block whoever renders
// the output for hours. Repetitions beyond the screen's rows, columns or cells change nothing on it, so the count may
// be reduced.

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** Controls that may occur inside a sequence without ending it: C0 without CAN, SUB and ESC, and DEL. */
const INSIDE = '\\x00-\\x17\\x19\\x1c-\\x1f\\x7f'
const INSIDE_ALL = new RegExp(`[${INSIDE}]`, 'g')
const BEGIN = `(?:\\x1b[${INSIDE}]*\\[|\\x9b)`
const PARAMETERS = `[${INSIDE}\\d:;]*`
/** ECMA-48 section 8.3: ICH, CHT, IL, DL, DCH, SU, SD, ECH, CBT, REP; with its parameters and its final character. */
const REPEATED = new RegExp(`${BEGIN}(${PARAMETERS})([@ILMPSTXZb])`, 'g')
const UNFINISHED = new RegExp(`^(?:\\x1b[${INSIDE}]*|${BEGIN}${PARAMETERS})$`)
/** A longer sequence carries no more meaning: no terminal reads that many digits or parameters. */
const MAX_HELD = 256
/** The value terminals use for any larger number. */
const MAX_COUNT = 2_147_483_647

/**
 * Bounds repetitions in output that comes in pieces cut anywhere. What a screen of that size shows in the end is the
 * same, but for REP of a wide character on an odd number of columns: there the cursor may stand elsewhere in its line.
 * @param size of the screen that the next piece is shown on
 * @returns gives each piece to be shown; an unfinished sequence at its end comes with the next one
 */
export function createBoundedRepeats(size: () => ScreenSize): (text: string) => string {
  let held = ''
  return (piece) => {
    const text = held + piece
    const last = Math.max(text.lastIndexOf('\u001b'), text.lastIndexOf('\u009b'))
    if (last < 0) return text
    const end = UNFINISHED.test(text.slice(last)) ? last : text.length
    held = text.slice(end, end + MAX_HELD)
    const screen = size()
    return text.slice(0, end).replace(REPEATED, (sequence: string, parameters: string, final: string) => {
      const plain = parameters.replace(INSIDE_ALL, '')
      const digits = /^\d*/.exec(plain)?.[0] ?? ''
      const asked = Math.min(Number(digits), MAX_COUNT)
      const times = bounded(asked, final, screen)
      if (times === asked) return sequence
      // Controls within a sequence are done before it.
      const controls = sequence.match(INSIDE_ALL)?.join('') ?? ''
      return `${controls}\u001b[${times}${plain.slice(digits.length)}${final}`
    })
  }
}

function bounded(times: number, final: string, { columns, rows }: ScreenSize): number {
  if (final !== 'b') return Math.min(times, 'LMST'.includes(final) ? rows : columns)
  const cells = columns * rows
  // The last line ends where it would have ended.
  return times <= cells ? times : cells + ((times - cells) % columns)
}
