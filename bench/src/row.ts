// One line of the result: what was measured, in which unit, and how it stands to its target. Pure.
import type { Spread } from './measure/statistics.ts'

/** What a target wants: more is better (bytes a second) or less is (time, memory). */
export interface Target {
  readonly better: 'more' | 'less'
  readonly must: number
  readonly aim: number
}

/** `ratio` is to the named peer; the others are in the unit of their name (GB: 10⁹ bytes, KB: 10³). */
export type Unit = 'ratio' | 'seconds' | 'ms' | 'secondsPerGb' | 'KB' | 'MB'

export interface Row {
  /** Stable name for scripts that compare runs: `bulk.aes128-gcm.down.sshd`. */
  readonly id: string
  /** What was done, for people. */
  readonly work: string
  /** What it is compared with; '' for figures that stand alone. */
  readonly peer: string
  readonly unit: Unit
  readonly measured: Spread
  readonly target?: Target
  /** The plain figures behind a ratio, and what a reader must know. */
  readonly note: string
  /** Every single value behind the row, by what it is, in the order in which it was measured. */
  readonly samples: Readonly<Record<string, readonly number[]>>
}

/** `aim` and `must`: that much was reached. `miss`: the must was not. `none`: there is no target. */
export type Verdict = 'aim' | 'must' | 'miss' | 'none'

/** Judges the median; a value that is no number misses. */
export function verdictOf({ measured, target }: Pick<Row, 'measured' | 'target'>): Verdict {
  if (!target) return 'none'
  const reaches = (bound: number): boolean =>
    target.better === 'more' ? measured.median >= bound : measured.median <= bound
  if (reaches(target.aim)) return 'aim'
  return reaches(target.must) ? 'must' : 'miss'
}
