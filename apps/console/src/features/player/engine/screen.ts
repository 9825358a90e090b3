// The player's screen: a read-only terminal, scaled to fit.
import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { TERMINAL_THEMES } from '../../screens/themes.ts'
import type { Stage } from './playback.ts'
import { guardScreen } from '../../screens/screen-guard.ts'

const FONT = '"JetBrains Mono Variable", ui-monospace, monospace'
/** Pixels; smaller text is illegible, so the screen scrolls instead. */
const MIN_FONT_PX = 7
const MAX_FONT_PX = 18
/** Cell size per pixel of font size. */
const CELL_WIDTH = 0.6
const CELL_HEIGHT = 1.32
const PADDING = 16
/** Limit for the terminal size in the recording; more only costs memory. */
const MAX_CELLS = 500
/** RIS (ECMA-48 section 8.3.105). */
const RESET = '\u001bc'

export interface Screen extends Stage {
  setDark(isDark: boolean): void
  /** The visible text, line by line. */
  text(): string
  dispose(): void
}

/** @param place element whose size determines the font size */
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
  // Keys belong to the page.
  terminal.attachCustomKeyEventHandler(() => false)
  let backlog = 0
  /** The size once everything before has been rendered. */
  let size = { columns: terminal.cols, rows: terminal.rows }
  const boundedRepeats = createBoundedRepeats(() => size)
  const holder = document.createElement('div')
  place.append(holder)
  terminal.open(holder)
  // The text panel is the accessible form; nothing here responds to keys.
  holder.setAttribute('aria-hidden', 'true')
  if (terminal.textarea) terminal.textarea.tabIndex = -1

  function fit(): void {
    const { clientWidth, clientHeight } = place
    if (clientWidth === 0) return
    const wide = (clientWidth - PADDING) / (terminal.cols * CELL_WIDTH)
    const high = (clientHeight - PADDING) / (terminal.rows * CELL_HEIGHT)
    const size = Math.floor(Math.min(wide, high) * 4) / 4
    terminal.options.fontSize = Math.max(MIN_FONT_PX, Math.min(MAX_FONT_PX, size))
  }

  const observer = new ResizeObserver(fit)
  observer.observe(place)
  void document.fonts.load(`13px ${FONT}`).then(fit)

  function write(output: string): void {
    const text = boundedRepeats(output)
    backlog += text.length
    terminal.write(text, () => (backlog -= text.length))
  }

  /** Ordered with the writes. */
  function setSize(columns: number, rows: number): void {
    if (!(columns > 0 && rows > 0)) return
    const next = { columns: Math.min(columns, MAX_CELLS), rows: Math.min(rows, MAX_CELLS) }
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
    begin({ columns, rows, hasTerminal }) {
      terminal.write('', () => (terminal.options.convertEol = !hasTerminal))
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
