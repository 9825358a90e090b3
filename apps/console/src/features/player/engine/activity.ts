// How much a recording says when, from the places of its keyframes in the file.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'

const BUCKETS = 120
/** Fewer keyframes say nothing about times between them. */
const FEWEST = 8

/** Shares from 0 to 1 of the busiest time, one for each equal part of the recording; none when too little is known. */
export function activityOf({ keyframes, seconds, bytes }: RecordingIndex): number[] {
  if (keyframes.length < FEWEST || seconds <= 0) return []
  const sums = Array.from({ length: BUCKETS }, () => 0)
  const width = seconds / BUCKETS
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
  // Bursts are so much larger than typing that typing would not be seen beside them.
  return most > 0 ? sums.map((sum) => Math.sqrt(sum / most)) : []
}
