// Whether this page is a window of its own for terminals, without the console around. By itself, so that the shell can ask
// without loading the terminals.

/** The window's id, as the page that opened it knows it. */
export const WINDOW_KEY = 'bowline.terminal-window'

/** @returns undefined in an ordinary page */
export function ownWindow(): string | undefined {
  try {
    return sessionStorage.getItem(WINDOW_KEY) ?? undefined
  } catch {
    return undefined
  }
}
