// A hit of the search says when the lines around it were first to be seen: this goes on to the very line.
import type { Playback } from './playback.ts'
import type { Screen } from './screen.ts'

/** The lines of a hit are at most this far apart, in milliseconds. */
const WITHIN_MS = 6_000
const MOST_STEPS = 300

/**
 * Shows the first moment from a time on at which a line is on the screen; that time itself when there is none.
 * @param isWanted false as soon as people want something else
 */
export async function seekToLine(
  { playback, screen }: { readonly playback: Playback; readonly screen: Pick<Screen, 'text'> },
  ms: number,
  line: string,
  isWanted: () => boolean,
): Promise<void> {
  // The terminal breaks long lines, and the search may have cut them.
  const wanted = line.replaceAll(/\s+/g, '')
  const isShown = (): boolean => screen.text().replaceAll(/\s+/g, '').includes(wanted)
  await playback.seek(ms)
  let at = ms
  for (let step = 0; step < MOST_STEPS && isWanted() && !isShown(); step += 1) {
    await playback.step(1)
    const { atMs } = playback.state.get()
    if (!isWanted()) return
    if (atMs <= at || atMs > ms + WITHIN_MS) return playback.seek(ms)
    at = atMs
  }
}
