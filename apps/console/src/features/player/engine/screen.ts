// What a recording is shown on: a terminal that nobody types into, as large as fits.
import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { TERMINAL_THEMES } from '../../terminal/screen/themes.ts'
import type { Stage } from './playback.ts'
import { guardScreen } from './screen-guard.ts'

const FONT = '"JetBrains Mono Variable", ui-monospace, monospace'
/** Pixels; below it nothing can be read, and the screen is wider than its place. */
const SMALLEST_FONT = 7
const LARGEST_FONT = 18
/** Of the font, per pixel of its size. */
const CELL_WIDTH = 0.6
const CELL_HEIGHT = 1.32
const PADDING = 16
/** A recording says what size its terminal had; more than this only costs memory. */
const MOST_CELLS = 500
/** RIS (ECMA-48 section 8.3.105). */
const RESET = '\u001bc'

export interface Screen extends Stage {
  setDark(isDark: boolean): void
  /** What is to be read now, line by line. */
  text(): string
  dispose(): void
}

/** @param place whose size decides the size of the letters */
export function createScreen(place: HTMLElement, isDark: boolean): Screen {
  const terminal = new Terminal({
    cols: 80,
    rows: 24,
    fontFamily: FONT,
    fontSize: 13,
    scrollback: 2_000,
    disableStdin: true,
    cursorInactiveStyle: 'block',
    allowProposedApi: true,
    minimumContrastRatio: 4.5,
    logLevel: 'off',
    linkHandler: { activate: () => {} },
  })
  colour(isDark)
  guardScreen(terminal)
  // Keys are the page's.
  terminal.attachCustomKeyEventHandler(() => false)
  let backlog = 0
  /** What it will be when everything before has been shown. */
  let size = { columns: terminal.cols, rows: terminal.rows }
  const boundedRepeats = createBoundedRepeats(() => size)
  const holder = document.createElement('div')
  place.append(holder)
  terminal.open(holder)
  // Its text is in the page in another form; nothing here can be used by keys.
  holder.setAttribute('aria-hidden', 'true')
  if (terminal.textarea) terminal.textarea.tabIndex = -1

  function fit(): void {
    const { clientWidth, clientHeight } = place
    if (clientWidth === 0) return
    const wide = (clientWidth - PADDING) / (terminal.cols * CELL_WIDTH)
    const high = (clientHeight - PADDING) / (terminal.rows * CELL_HEIGHT)
    const size = Math.floor(Math.min(wide, high) * 4) / 4
    terminal.options.fontSize = Math.max(SMALLEST_FONT, Math.min(LARGEST_FONT, size))
  }

  const observer = new ResizeObserver(fit)
  observer.observe(place)
  void document.fonts.load(`13px ${FONT}`).then(fit)

  function write(output: string): void {
    const text = boundedRepeats(output)
    backlog += text.length
    terminal.write(text, () => (backlog -= text.length))
  }

  /** In order with what is written. */
  function setSize(columns: number, rows: number): void {
    if (!(columns > 0 && rows > 0)) return
    const next = { columns: Math.min(columns, MOST_CELLS), rows: Math.min(rows, MOST_CELLS) }
    size = next
    terminal.write('', () => {
      terminal.resize(next.columns, next.rows)
      fit()
    })
  }

  function colour(dark: boolean): void {
    const theme = TERMINAL_THEMES[dark ? 'dark' : 'light']
    terminal.options.theme = theme
    place.style.background = theme.background ?? ''
  }

  return {
    get backlog() {
      return backlog
    },
    begin(columns, rows) {
      setSize(columns, rows)
      write(RESET)
    },
    write,
    resize: setSize,
    settled: () => new Promise((resolve) => terminal.write('', resolve)),
    setDark: colour,
    text() {
      const { active } = terminal.buffer
      const lines = Array.from(
        { length: terminal.rows },
        (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
      )
      return lines.join('\n').trimEnd()
    },
    dispose() {
      observer.disconnect()
      terminal.dispose()
      holder.remove()
    },
  }
}
