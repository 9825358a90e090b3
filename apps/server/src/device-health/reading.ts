// One reading of a device, as values that are stored. Pure.
import type { HealthReport } from '@bowline/link/stream-messages'
import { LIMITS } from '@bowline/contract/limits'

/** A report of a device, with the round trip of its link. */
export interface Reading {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Its report; or why there is none. */
  readonly report: HealthReport | 'off' | 'unsupported'
  /** Round trip, milliseconds; undefined: none was measured. */
  readonly latencyMs: number | undefined
}

/** Values of a point in time; null without a report. Percent; load for each processor; milliseconds. */
export interface Values {
  readonly cpu: number | null
  readonly memory: number | null
  readonly disk: number | null
  readonly load: number | null
  readonly latency: number | null
}

/** Longer round trips are stored as this one, milliseconds. */
const LONGEST_MS = 32_767

export function valuesOf({ report, latencyMs }: Reading): Values {
  const latency = latencyMs === undefined ? null : Math.min(LONGEST_MS, Math.round(latencyMs))
  if (typeof report === 'string') return { cpu: null, memory: null, disk: null, load: null, latency }
  const { cpuBusy, cpus, load, memory, filesystems } = report
  return {
    cpu: percent(cpuBusy),
    memory: percent(1 - memory.availableBytes / memory.totalBytes),
    disk: filesystems.reduce<number | null>(
      (highest, { totalBytes, freeBytes }) => Math.max(highest ?? 0, percent(1 - freeBytes / totalBytes)),
      null,
    ),
    load: Math.round((load / cpus) * 100) / 100,
    latency,
  }
}

/** Whether values differ so much from those written last that they are written at once. */
export function hasChanged(before: Values, now: Values): boolean {
  const { changedPercent, load, latencyMs } = LIMITS.health
  const differs = (a: number | null, b: number | null, by: number): boolean =>
    a === null || b === null ? a !== b : Math.abs(a - b) >= by
  return (
    differs(before.memory, now.memory, changedPercent) ||
    differs(before.disk, now.disk, changedPercent) ||
    differs(before.load, now.load, load / 4) ||
    isBeyond(before.load, load) !== isBeyond(now.load, load) ||
    isBeyond(before.latency, latencyMs) !== isBeyond(now.latency, latencyMs)
  )
}

const isBeyond = (value: number | null, limit: number): boolean => value !== null && value >= limit

/** With one decimal. */
const percent = (share: number): number => Math.round(share * 1_000) / 10
