// A headless terminal: tracks the screen of a recording and the lines of text that were visible.
import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import type { SerializeAddon } from '@xterm/addon-serialize'
import type { IBuffer, IMarker, Terminal } from '@xterm/headless'
import { watchCommands } from './shell-marks.ts'

/** Scrolled lines that were not taken yet; one {@link PIECE} cannot have more. */
const SCROLLBACK = 4_200
const PIECE = 4_096
/** Recent lines, so that text that stays or reappears is reported once. */
const REMEMBERED = 2_000
/** Columns and rows beyond this only cost memory. */
const MAX_SIZE = 1_000

/** Operations run asynchronously and in order; `settled` resolves after them. */
export interface Screen {
  /** Writes output; reports lines that leave the screen. */
  write(output: string, atMs: number): void
  /** Reports every visible line, except those reported recently. */
  look(atMs: number): void
  resize(columns: number, rows: number): void
  /** Passes output that reproduces the screen in an empty terminal of this size. */
  picture(take: (screen: string, columns: number, rows: number) => void): void
  settled(): Promise<void>
  /** Commands that failed, as the shell's marks tell so far; undefined where they tell no status. */
  failedCommands(): number | undefined
  /** Frees its memory. */
  close(): void
}

export interface ScreenParts {
  readonly columns: number
  readonly rows: number
  /** Without one a newline also returns to the left, as in plain output. */
  readonly hasTerminal: boolean
  /** Called for each line of text with its time. */
  readonly line: (atMs: number, text: string) => void
  /** Called for each command that the shell marks (OSC 133), with the time at which it began to run. */
  readonly command?: (atMs: number, text: string) => void
}

export async function createScreen({ columns, rows, hasTerminal, line, command }: ScreenParts): Promise<Screen> {
  const [{ default: headless }, { default: serialize }] = await Promise.all([
    import('@xterm/headless'),
    import('@xterm/addon-serialize'),
  ])
  /** Size after all pending operations. */
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
  const commands = watchCommands(terminal)
  const reported = new Set<string>()
  /** First line of the normal screen not yet reported as scrolled. */
  let unreported: IMarker | undefined = markTop()

  function markTop(): IMarker | undefined {
    return terminal.registerMarker(-terminal.buffer.normal.cursorY)
  }

  function tell(row: string, atMs: number): void {
    const text = row.trimEnd()
    if (text === '') return
    const isKnown = reported.delete(text)
    reported.add(text)
    if (isKnown) return
    line(atMs, text)
    if (reported.size > REMEMBERED) for (const oldest of reported) return void reported.delete(oldest)
  }

  /** Reports the lines of a buffer as written: wrapped rows are joined again. */
  function reportLines(buffer: IBuffer, from: number, to: number, atMs: number): void {
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
    // The alternate screen does not scroll; the marker in the normal one stays.
    if (active.type === 'alternate') return
    const from = unreported && unreported.line >= 0 ? unreported.line : normal.baseY
    if (from < normal.baseY) reportLines(normal, from, normal.baseY, atMs)
    markAgain()
  }

  function markAgain(): void {
    unreported?.dispose()
    unreported = markTop()
  }

  /** Runs after pending writes. */
  const then = (act: () => void): void => terminal.write('', act)

  return {
    write(output, atMs) {
      const text = boundedRepeats(output)
      for (let start = 0; start < text.length; start += PIECE) {
        const isLast = start + PIECE >= text.length
        terminal.write(text.slice(start, start + PIECE), () => {
          if (isLast) commands.rest()
          for (const found of commands.take()) command?.(atMs, found)
          tellScrolled(atMs)
        })
      }
    },
    look(atMs) {
      then(() => {
        const { active } = terminal.buffer
        reportLines(active, active.baseY, active.baseY + terminal.rows, atMs)
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
    failedCommands: () => commands.failed(),
    settled: () => new Promise((resolve) => then(resolve)),
    close: () => terminal.dispose(),
  }
}

function bounded(size: number, fallback: number): number {
  return size > 0 ? Math.min(size, MAX_SIZE) : fallback
}
