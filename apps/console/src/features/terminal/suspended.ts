// Where tabs are stored, and whether an earlier page has suspended sessions there. By itself, so that the first page can
// ask without loading the terminals.

export const TABS_KEY = 'bowline.terminal-tabs'

export function hasSuspendedSessions(): boolean {
  try {
    return sessionStorage.getItem(TABS_KEY)?.includes('"suspended"') === true
  } catch {
    return false
  }
}
