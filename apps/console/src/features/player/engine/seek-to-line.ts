// Seeks to what a person wants to see first: the line of a search hit, of which only the time is known at which the lines
// around it first appeared, or the first output of a recording.
import type { Playback } from './playback.ts'
import type { Screen } from './screen.ts'

/** The lines of a hit appear at most this many milliseconds apart, and a prompt no later after the start. */
const WITHIN_MS = 6_000
const MAX_STEPS = 300

/** A player and what it shows. */
interface Shown {
  readonly playback: Playback
  readonly screen: Pick<Screen, 'text'>
}

/**
 * Shows the first moment from a time on at which a line is visible; that time itself when there is none.
 * @param isWanted false as soon as the person does something else
 */
export function seekToLine(shown: Shown, ms: number, line: string, isWanted: () => boolean): Promise<void> {
  // The terminal wraps long lines, and the search may have truncated them.
  const wanted = line.replaceAll(/\s+/g, '')
  return seekUntil(shown, ms, (text) => text.replaceAll(/\s+/g, '').includes(wanted), isWanted)
}

/** Shows the first moment at which the screen is not empty; the start when it stays empty for seconds. */
export function seekToFirstOutput(shown: Shown, isWanted: () => boolean): Promise<void> {
  return seekUntil(shown, 0, (text) => text.trim() !== '', isWanted)
}

async function seekUntil(
  { playback, screen }: Shown,
  ms: number,
  isShown: (text: string) => boolean,
  isWanted: () => boolean,
): Promise<void> {
  await playback.seek(ms)
  let at = ms
  for (let step = 0; step < MAX_STEPS && isWanted() && !isShown(screen.text()); step += 1) {
    await playback.step(1)
    const { atMs } = playback.state.get()
    if (!isWanted()) return
    if (atMs <= at || atMs > ms + WITHIN_MS) return playback.seek(ms)
    at = atMs
  }
}
