// Appearance and behaviour of terminals, stored in this browser.
import { z } from 'zod'
import { createStore } from '../../../platform/store.ts'

const KEY = 'bowline.terminal'

export const FONT_SIZES = { least: 8, most: 24 } as const
export const USUAL_FONT_SIZE = 14

/** No characters with a meaning in a CSS font list. */
export const FONT_NAME = /^[\p{L}\p{N} ._-]{0,64}$/u

export const TerminalSettings = z.object({
  fontSize: z.int().min(FONT_SIZES.least).max(FONT_SIZES.most).catch(USUAL_FONT_SIZE),
  /** Name of a local font; '' for the console's own. */
  font: z.string().regex(FONT_NAME).catch(''),
  theme: z.enum(['auto', 'light', 'dark', 'paper', 'midnight', 'contrast', 'contrastLight']).catch('auto'),
  /** Scrollback in lines. */
  scrollback: z.int().min(0).max(100_000).catch(5_000),
  screenReader: z.boolean().catch(false),
  /** Copies a mouse selection at once. */
  copyOnSelect: z.boolean().catch(false),
  bell: z.enum(['off', 'visual', 'sound']).catch('visual'),
  /** Hides the console's side bar beside terminals. */
  foldedSidebar: z.boolean().catch(false),
  /** When to ask before a paste of several lines; control characters are always asked about. */
  pasteQuestion: z.enum(['auto', 'always', 'never']).catch('auto'),
  /** Ctrl+K opens the palette instead of reaching the program. */
  paletteKey: z.boolean().catch(false),
})
export type TerminalSettings = z.output<typeof TerminalSettings>

export const terminalSettings = createStore(read())

export function changeSettings(change: Partial<TerminalSettings>): void {
  const next = TerminalSettings.parse({ ...terminalSettings.get(), ...change })
  terminalSettings.set(next)
  try {
    localStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // Storage is disabled: kept until the page is closed.
  }
}

function read(): TerminalSettings {
  try {
    return TerminalSettings.parse(JSON.parse(localStorage.getItem(KEY) ?? '{}'))
  } catch {
    return TerminalSettings.parse({})
  }
}
