// Colour themes of terminals. The sixteen colours are distinct on each background; xterm raises the contrast of those
// still too faint.
import type { ITheme } from '@xterm/xterm'

const light: ITheme = {
  background: '#ffffff',
  foreground: '#172027',
  cursor: '#0b6072',
  cursorAccent: '#ffffff',
  selectionBackground: '#a5d2da',
  black: '#172027',
  red: '#b3261e',
  green: '#15703a',
  yellow: '#8a5300',
  blue: '#1a5fb4',
  magenta: '#8b2fa0',
  cyan: '#0b6072',
  white: '#56646f',
  brightBlack: '#56646f',
  brightRed: '#c8372d',
  brightGreen: '#15803d',
  brightYellow: '#9a6200',
  brightBlue: '#2a6fc9',
  brightMagenta: '#9c3fb2',
  brightCyan: '#0f7285',
  brightWhite: '#29343c',
}

const dark: ITheme = {
  background: '#0c1115',
  foreground: '#d6dfe4',
  cursor: '#76bbc7',
  cursorAccent: '#0c1115',
  selectionBackground: '#27505a',
  black: '#27313a',
  red: '#ff8f85',
  green: '#6cd08f',
  yellow: '#f0b45b',
  blue: '#7fb2f0',
  magenta: '#d79be6',
  cyan: '#76bbc7',
  white: '#d6dfe4',
  brightBlack: '#8a97a1',
  brightRed: '#ffb0a8',
  brightGreen: '#8fe0ab',
  brightYellow: '#f7cc8b',
  brightBlue: '#a4caf7',
  brightMagenta: '#e6bdf0',
  brightCyan: '#a5d2da',
  brightWhite: '#ffffff',
}

const contrast: ITheme = {
  ...dark,
  background: '#000000',
  foreground: '#ffffff',
  cursor: '#ffff00',
  cursorAccent: '#000000',
  selectionBackground: '#0050b0',
  white: '#ffffff',
}

export const TERMINAL_THEMES = { light, dark, contrast } as const
