// The storage of tabs, and whether an earlier page has suspended sessions there. By itself, so that the first page can
// ask without loading the terminals.
import { TERMINAL } from '@bowline/contract/terminal/messages'

export const TABS_KEY = 'bowline.terminal-tabs'

export function hasSuspendedSessions(): boolean {
  return suspendedTabs() !== undefined
}

/**
 * Removes sessions that nobody can resume any more from the stored tabs, now and once they get too old: while nobody is
 * signed in, nothing else removes them.
 * @param now milliseconds since 1970
 * @param later runs work after a delay in milliseconds
 */
export function expireSuspendedSessions(
  now: () => number,
  later: (work: () => void, delayMs: number) => unknown,
): void {
  const tabs = suspendedTabs()
  if (tabs === undefined) return
  try {
    const age = now() - suspendedAt(tabs)
    const kept = keptMs(tabs)
    // A clock that was set back, or no time, says nothing of the age.
    if (age >= 0 && age < kept) later(() => expireSuspendedSessions(now, later), kept - age)
    else sessionStorage.setItem(TABS_KEY, JSON.stringify(JSON.parse(tabs, withoutSession)))
  } catch {
    // Nothing that can be read is lost.
    sessionStorage.removeItem(TABS_KEY)
  }
}

/** Stored tabs that have sessions. */
function suspendedTabs(): string | undefined {
  try {
    const stored = sessionStorage.getItem(TABS_KEY)
    return stored?.includes('"suspended"') ? stored : undefined
  } catch {
    return undefined
  }
}

function suspendedAt(tabs: string): number {
  const stored: unknown = JSON.parse(tabs)
  const hasTime = typeof stored === 'object' && stored !== null && 'suspendedAt' in stored
  return hasTime ? Number(stored.suspendedAt) : Number.NaN
}

/** Time for which the server keeps the sessions, the longest of them. */
function keptMs(tabs: string): number {
  let longest = 0
  JSON.parse(tabs, (key, value: { readonly seconds?: unknown }) => {
    if (key === 'suspended') longest = Math.max(longest, Number(value.seconds ?? TERMINAL.resumeSeconds))
    return value
  })
  return longest * 1_000
}

/** Keeps the id of a session, which is a text. */
function withoutSession(key: string, value: unknown): unknown {
  return key === 'session' && typeof value === 'object' ? undefined : value
}
