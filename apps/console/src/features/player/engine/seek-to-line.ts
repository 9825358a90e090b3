// Seeks to the line of a search hit. The hit itself only has the time at which the lines around it first appeared.
import type { Playback } from './playback.ts'
import type { Screen } from './screen.ts'

/** The lines of a hit appear at most this many milliseconds apart. */
const WITHIN_MS = 6_000
const MAX_STEPS = 300

/**
 * Shows the first moment from a time on at which a line is visible; that time itself when there is none.
 * @param isWanted false as soon as the person does something else
 */
export async function seekToLine(
  { playback, screen }: { readonly playback: Playback; readonly screen: Pick<Screen, 'text'> },
  ms: number,
  line: string,
  isWanted: () => boolean,
): Promise<void> {
  // The terminal wraps long lines, and the search may have truncated them.
  const wanted = line.replaceAll(/\s+/g, '')
  const isShown = (): boolean => screen.text().replaceAll(/\s+/g, '').includes(wanted)
  await playback.seek(ms)
  let at = ms
  for (let step = 0; step < MAX_STEPS && isWanted() && !isShown(); step += 1) {
    await playback.step(1)
    const { atMs } = playback.state.get()
    if (!isWanted()) return
    if (atMs <= at || atMs > ms + WITHIN_MS) return playback.seek(ms)
    at = atMs
  }
}
