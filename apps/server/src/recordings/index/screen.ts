// A terminal without a window: what a recording's output makes of the screen, and which lines of text were to be read.
import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import type { SerializeAddon } from '@xterm/addon-serialize'
import type { IBuffer, IMarker, Terminal } from '@xterm/headless'

/** Lines that have left the screen and were not taken yet; a piece of {@link PIECE} cannot have more. */
const SCROLLBACK = 4_200
const PIECE = 4_096
/** Lines that are remembered, so that what stays on the screen or comes again is told once. */
const REMEMBERED = 2_000
/** Columns and rows beyond this only cost memory. */
const MAX_SIZE = 1_000

/** What is asked of it happens in order and soon; `settled` says when. */
export interface Screen {
  /** Shows output; lines that leave the screen are told. */
  write(output: string, atMs: number): void
  /** Tells every line that is to be seen now. Those that were told lately are not told again. */
  look(atMs: number): void
  resize(columns: number, rows: number): void
  /** Takes output that makes an empty terminal of this size show the same. */
  picture(take: (screen: string, columns: number, rows: number) => void): void
  settled(): Promise<void>
  /** Gives its memory back. */
  close(): void
}

export interface ScreenParts {
  readonly columns: number
  readonly rows: number
  /** Without one a newline begins at the left again, as whoever reads the output sees it. */
  readonly hasTerminal: boolean
  /** Told each line of text with the time that was given. */
  readonly line: (atMs: number, text: string) => void
}

export async function createScreen({ columns, rows, hasTerminal, line }: ScreenParts): Promise<Screen> {
  const [{ default: headless }, { default: serialize }] = await Promise.all([
    import('@xterm/headless'),
    import('@xterm/addon-serialize'),
  ])
  /** What it will be when everything before has happened. */
  let size = { columns: bounded(columns, 80), rows: bounded(rows, 24) }
  const terminal: Terminal = new headless.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: SCROLLBACK,
    convertEol: !hasTerminal,
    allowProposedApi: true,
    logLevel: 'off',
  })
  const boundedRepeats = createBoundedRepeats(() => size)
  const pictures: SerializeAddon = new serialize.SerializeAddon()
  terminal.loadAddon(pictures)
  const told = new Set<string>()
  /** First line of the normal screen that has not been told as one that has left. */
  let untold: IMarker | undefined = markTop()

  function markTop(): IMarker | undefined {
    return terminal.registerMarker(-terminal.buffer.normal.cursorY)
  }

  function tell(row: string, atMs: number): void {
    const text = row.trimEnd()
    if (text === '') return
    const isKnown = told.delete(text)
    told.add(text)
    if (isKnown) return
    line(atMs, text)
    if (told.size > REMEMBERED) for (const oldest of told) return void told.delete(oldest)
  }

  /** Lines of a buffer as they were written: rows that one line was broken into are one again. */
  function tellLines(buffer: IBuffer, from: number, to: number, atMs: number): void {
    let text = ''
    for (let y = from; y < to; y += 1) {
      const goesOn = buffer.getLine(y + 1)?.isWrapped === true
      text += buffer.getLine(y)?.translateToString(!goesOn) ?? ''
      if (goesOn) continue
      tell(text, atMs)
      text = ''
    }
    tell(text, atMs)
  }

  function tellScrolled(atMs: number): void {
    const { active, normal } = terminal.buffer
    // Programs with a screen of their own let nothing scroll away; the mark in the other one stays where it is.
    if (active.type === 'alternate') return
    const from = untold && untold.line >= 0 ? untold.line : normal.baseY
    if (from < normal.baseY) tellLines(normal, from, normal.baseY, atMs)
    markAgain()
  }

  function markAgain(): void {
    untold?.dispose()
    untold = markTop()
  }

  /** Done after what was written before. */
  const then = (act: () => void): void => terminal.write('', act)

  return {
    write(output, atMs) {
      const text = boundedRepeats(output)
      for (let start = 0; start < text.length; start += PIECE) {
        terminal.write(text.slice(start, start + PIECE), () => tellScrolled(atMs))
      }
    },
    look(atMs) {
      then(() => {
        const { active } = terminal.buffer
        tellLines(active, active.baseY, active.baseY + terminal.rows, atMs)
      })
    },
    resize(wide, high) {
      if (wide > 0 && high > 0) size = { columns: bounded(wide, 80), rows: bounded(high, 24) }
      const { columns: cols, rows: lines } = size
      then(() => {
        terminal.resize(cols, lines)
        if (terminal.buffer.active.type === 'normal') markAgain()
      })
    },
    picture: (take) => then(() => take(pictures.serialize({ scrollback: 0 }), terminal.cols, terminal.rows)),
    settled: () => new Promise((resolve) => then(resolve)),
    close: () => terminal.dispose(),
  }
}

function bounded(size: number, fallback: number): number {
  return size > 0 ? Math.min(size, MAX_SIZE) : fallback
}
