// One line of the result: what was measured, its unit, and its verdict against the target. Pure.
import type { Spread } from './measure/statistics.ts'

/** Direction of a target: more is better (bytes per second) or less is (time, memory). */
export interface Target {
  readonly better: 'more' | 'less'
  readonly must: number
  readonly aim: number
}

/** `ratio` is to the named peer; the others are in the unit of their name (GB: 10⁹ bytes, KB: 10³). */
export type Unit = 'ratio' | 'seconds' | 'ms' | 'secondsPerGb' | 'KB' | 'MB' | 'count'

export interface Row {
  /** Stable name for scripts that compare runs: `bulk.aes128-gcm.down.sshd`. */
  readonly id: string
  /** Human-readable description of the workload. */
  readonly work: string
  /** The peer compared with; '' for absolute figures. */
  readonly peer: string
  readonly unit: Unit
  readonly measured: Spread
  readonly target?: Target
  /** Absolute figures behind a ratio, and caveats. */
  readonly note: string
  /** All individual values of the row, by name, in measurement order. */
  readonly samples: Readonly<Record<string, readonly number[]>>
}

/** `aim` and `must`: the bound was reached. `miss`: the must was not. `none`: there is no target. */
export type Verdict = 'aim' | 'must' | 'miss' | 'none'

/** Judges the median; NaN is a miss. */
export function verdictOf({ measured, target }: Pick<Row, 'measured' | 'target'>): Verdict {
  if (!target) return 'none'
  const reaches = (bound: number): boolean =>
    target.better === 'more' ? measured.median >= bound : measured.median <= bound
  if (reaches(target.aim)) return 'aim'
  return reaches(target.must) ? 'must' : 'miss'
}
