// Colours of terminal cells as CSS.
import type { IBufferCell, ITheme } from '@xterm/xterm'

/** How a cell says which colour it has. */
export interface CellColour {
  readonly kind: 'default' | 'palette' | 'rgb'
  /** Index in the palette of 256 colours, or 0xRRGGBB. */
  readonly value: number
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
const BRIGHT_NAMES = [
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const
/** Steps of the colour cube that xterm and all others after it have. */
const STEPS = [0, 95, 135, 175, 215, 255] as const

/** @returns a CSS colour; undefined for the default one */
export function cssColour(theme: ITheme, { kind, value }: CellColour): string | undefined {
  if (kind === 'default') return undefined
  if (kind === 'rgb') return `#${value.toString(16).padStart(6, '0')}`
  if (value < 16) {
    const name = value < 8 ? NAMES[value] : BRIGHT_NAMES[value - 8]
    return name && theme[name]
  }
  if (value >= 232) {
    const grey = 8 + 10 * (value - 232)
    return `rgb(${grey} ${grey} ${grey})`
  }
  const step = (divisor: number): number => STEPS[Math.floor((value - 16) / divisor) % 6] ?? 0
  return `rgb(${step(36)} ${step(6)} ${step(1)})`
}

/** Colour of the text of a cell; one that is inverse has it behind. */
export function frontOf(cell: IBufferCell): CellColour {
  const value = cell.getFgColor()
  if (cell.isFgRGB()) return { kind: 'rgb', value }
  // Bold text has the bright colour, as in the player.
  if (cell.isFgPalette()) return { kind: 'palette', value: cell.isBold() && value < 8 ? value + 8 : value }
  return { kind: 'default', value: 0 }
}

/** Colour behind the text of a cell. */
export function backOf(cell: IBufferCell): CellColour {
  const kind = cell.isBgRGB() ? 'rgb' : cell.isBgPalette() ? 'palette' : 'default'
  return { kind, value: cell.getBgColor() }
}
