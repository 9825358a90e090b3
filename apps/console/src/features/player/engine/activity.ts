// Estimates the activity over a recording from the file offsets of its keyframes.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import { recordedMs } from '../../sessions/duration.ts'

const BUCKETS = 120
/** Fewer keyframes give no useful resolution. */
const MIN_KEYFRAMES = 8

/**
 * Shares from 0 to 1 of the peak, one for each equal slice of the recording; empty when there are too few keyframes.
 */
export function activityOf(index: RecordingIndex): number[] {
  const { keyframes, seconds, bytes } = index
  if (keyframes.length < MIN_KEYFRAMES || seconds <= 0) return []
  const sums = Array.from({ length: BUCKETS }, () => 0)
  const width = recordedMs(index, seconds) / 1_000 / BUCKETS
  const ends = [...keyframes.slice(1), { time: seconds, offset: bytes }]
  keyframes.forEach(({ time, offset }, number) => {
    const end = ends[number] ?? { time, offset }
    const said = Math.max(0, end.offset - offset)
    const first = Math.min(BUCKETS - 1, Math.floor(time / width))
    const last = Math.min(BUCKETS - 1, Math.floor(end.time / width))
    for (let bucket = first; bucket <= last; bucket += 1) {
      sums[bucket] = (sums[bucket] ?? 0) + said / (last - first + 1)
    }
  })
  const most = Math.max(...sums)
  // Compress the scale: bursts are so much larger than typing that typing would be invisible.
  return most > 0 ? sums.map((sum) => Math.sqrt(sum / most)) : []
}
