// A picture of a terminal's screen: output goes through a terminal that is on no page, and its cells onto a canvas.
// Small text is not meant to be read, so the cells need neither a cursor nor a selection.
import { createBoundedRepeats } from '@bowline/asciicast/bounded-repeats'
import type { RecordingPreview } from '@bowline/contract/schemas/recording'
import { type IBufferCell, type ITheme, Terminal } from '@xterm/xterm'
import { TERMINAL_THEMES } from './themes.ts'
import { guardScreen } from './screen-guard.ts'
import { backOf, cssColour, frontOf } from './colours.ts'

/** Sizes of the terminal in order, each with the output at that size. */
export type Sizes = NonNullable<RecordingPreview['screen']>

const FONT = '"JetBrains Mono Variable", ui-monospace, monospace'
/** Cell size per pixel of font size. */
const CELL_WIDTH = 0.6
const CELL_HEIGHT = 1.25
/** Beyond, the rest of a screen is left out: its cells would be smaller than pixels. */
const MAX_COLUMNS = 300
const MAX_ROWS = 120

export interface Painter {
  /** Draws a screen; of several that are wanted meanwhile only the latest. Resolves with the text of the latest. */
  show(sizes: Sizes, isDark: boolean): Promise<string>
  close(): void
}

/** @param canvas its width on the page is kept, and its height becomes that of the screen */
export function createPainter(canvas: HTMLCanvasElement): Painter {
  let wanted: { readonly sizes: Sizes; readonly isDark: boolean } | undefined
  let busy: Promise<string> | undefined
  let closed = false

  function taken() {
    const next = wanted
    wanted = undefined
    return next
  }

  async function drawLatest(): Promise<string> {
    let text = ''
    await document.fonts.load(`13px ${FONT}`).catch(() => undefined)
    for (let next = taken(); next; next = taken()) {
      text = await drawn(canvas, next.sizes, TERMINAL_THEMES[next.isDark ? 'dark' : 'light'])
    }
    return text
  }

  return {
    show(sizes, isDark) {
      if (!closed) wanted = { sizes, isDark }
      busy ??= drawLatest().finally(() => (busy = undefined))
      return busy
    },
    close() {
      closed = true
      wanted = undefined
    },
  }
}

async function drawn(canvas: HTMLCanvasElement, sizes: Sizes, theme: ITheme): Promise<string> {
  const terminal = new Terminal({ scrollback: 0, disableStdin: true, allowProposedApi: true, logLevel: 'off' })
  try {
    guardScreen(terminal)
    await write(terminal, sizes)
    draw(canvas, terminal, theme)
    return textOf(terminal)
  } finally {
    terminal.dispose()
  }
}

async function write(terminal: Terminal, sizes: Sizes): Promise<void> {
  let size = { columns: terminal.cols, rows: terminal.rows }
  const boundedRepeats = createBoundedRepeats(() => size)
  for (const { columns, rows, output } of sizes) {
    if (columns > 0 && rows > 0) size = { columns: Math.min(columns, MAX_COLUMNS), rows: Math.min(rows, MAX_ROWS) }
    terminal.resize(size.columns, size.rows)
    await new Promise<void>((resolve) => terminal.write(boundedRepeats(output), resolve))
  }
}

function textOf({ buffer: { active }, rows }: Terminal): string {
  const lines = Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true))
  return lines.join('\n').trimEnd()
}

function draw(canvas: HTMLCanvasElement, terminal: Terminal, theme: ITheme): void {
  const { cols, rows, buffer } = terminal
  const context = canvas.getContext('2d')
  const width = canvas.clientWidth * devicePixelRatio
  if (!context || width === 0) return
  const font = width / (cols * CELL_WIDTH)
  const height = font * CELL_HEIGHT
  canvas.width = Math.round(width)
  canvas.height = Math.round(height * rows)
  context.fillStyle = theme.background ?? ''
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.textBaseline = 'middle'
  const { active } = buffer
  for (let row = 0; row < rows; row += 1) {
    const line = active.getLine(active.baseY + row)
    if (!line) continue
    let cell: IBufferCell | undefined
    for (let column = 0; column < cols; column += 1) {
      cell = line.getCell(column, cell)
      // The second half of a wide character.
      if (!cell || cell.getWidth() === 0) continue
      const { front, back } = coloursOf(cell, theme)
      const x = column * font * CELL_WIDTH
      if (back) {
        context.fillStyle = back
        // Over the edges, between which a line would show.
        context.fillRect(x - 0.5, row * height - 0.5, cell.getWidth() * font * CELL_WIDTH + 1, height + 1)
      }
      const characters = cell.getChars()
      if (characters.trim() === '' || cell.isInvisible()) continue
      context.font = `${cell.isBold() ? '700 ' : ''}${font}px ${FONT}`
      context.fillStyle = front
      context.globalAlpha = cell.isDim() ? 0.6 : 1
      context.fillText(characters, x, (row + 0.5) * height)
      context.globalAlpha = 1
    }
  }
}

/** @returns no `back` for the default background */
function coloursOf(cell: IBufferCell, theme: ITheme): { readonly front: string; readonly back: string | undefined } {
  const front = cssColour(theme, frontOf(cell)) ?? theme.foreground ?? ''
  const back = cssColour(theme, backOf(cell))
  return cell.isInverse() ? { front: back ?? theme.background ?? '', back: front } : { front, back }
}
