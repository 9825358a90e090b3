// A recording in a few numbers: made once, while it is read through for search.
import { type RecordingSummary, SUMMARY_PROGRAMS } from '@bowline/contract/schemas/recording'
import { programsOf } from './programs.ts'

/** What reading a recording through has found beside its text. */
export interface RecordingFacts {
  /** Time of the last event, in milliseconds since the start. */
  readonly atMs: number
  /** Silences of two seconds or more, in milliseconds. */
  readonly idleMs: number
  /** Commands that ended with another status than 0; undefined where the shell tells none. */
  readonly failed: number | undefined
  /** Of the file, hex. */
  readonly sha256: string
}

/** Commands whose programs are counted. */
const MAX_COMMANDS = 2_000

/** @param commands lines that were run, in order */
export function summaryOf(
  { atMs, idleMs, failed, sha256 }: RecordingFacts,
  commands: readonly string[],
): RecordingSummary {
  const counts = new Map<string, number>()
  for (const name of commands.slice(0, MAX_COMMANDS).flatMap(programsOf)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const programs = [...counts].map(([name, count]) => ({ name, count }))
  return {
    seconds: atMs / 1_000,
    idle_seconds: idleMs / 1_000,
    commands: commands.length,
    failed_commands: failed ?? null,
    // Sorting is stable: those that were used first come first among equals.
    programs: programs.toSorted((a, b) => b.count - a.count).slice(0, SUMMARY_PROGRAMS),
    sha256,
  }
}
