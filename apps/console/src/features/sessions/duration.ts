// Durations of sessions and of their recordings, whose last event may be long before the end.
import type { ListedRecording } from '@bowline/contract/schemas/recording'
import type { Session } from '@bowline/contract/schemas/session'

type Span = Pick<Session, 'started_at' | 'active' | 'closed' | 'last_seen'>

/** Milliseconds from the start of a session to its end, or to now while it is active. */
export function durationOf({ started_at: start, active, closed, last_seen: seen }: Span, nowMs: number): number {
  const endMs = closed ? Date.parse(closed.at) : active ? nowMs : Date.parse(seen)
  return endMs - Date.parse(start)
}

export interface RecordedTime {
  readonly ms: number
  /** Share without output or input, 0 to 100. */
  readonly idlePercent: number
}

type RecordedSpan = Pick<ListedRecording, 'started_at' | 'ended_at' | 'state'>

/**
 * Milliseconds from the start of a recorded shell or command to its end, as the list and the player have it.
 * @param lastSeconds time of the last event
 */
export function recordedMs({ started_at: start, ended_at: end, state }: RecordedSpan, lastSeconds: number): number {
  const lastMs = Math.round(lastSeconds * 1_000)
  // One that a crash has interrupted ends when it is found.
  return end !== null && state === 'complete' ? Math.max(lastMs, Date.parse(end) - Date.parse(start)) : lastMs
}

/** Duration of a recorded shell or command; undefined until its recording is indexed. */
export function recordedTimeOf({
  summary,
  ...span
}: RecordedSpan & Pick<ListedRecording, 'summary'>): RecordedTime | undefined {
  if (!summary) return undefined
  const ms = recordedMs(span, summary.seconds)
  const lastMs = Math.round(summary.seconds * 1_000)
  const idleMs = summary.idle_seconds * 1_000 + silence(ms - lastMs)
  return { ms, idlePercent: ms === 0 ? 0 : Math.round((100 * idleMs) / ms) }
}

/** Shorter silences are none, as in the summary. */
const SILENCE_MS = 2_000

function silence(ms: number): number {
  return ms >= SILENCE_MS ? ms : 0
}
