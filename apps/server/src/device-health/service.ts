// The health of a device over time.
import { fail } from '@bowline/contract/errors'
import type { HEALTH_PERIODS, HealthHistory } from '@bowline/contract/operations/fleet/health'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import { COARSE_MINUTES, FINE_MINUTES, type PointsRow, readLatest, readPoints } from './store.ts'

type Period = (typeof HEALTH_PERIODS)[number]
type Point = HealthHistory['points'][number]

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const PERIODS: Readonly<Record<Period, { readonly lengthMs: number; readonly stepMs: number }>> = {
  day: { lengthMs: DAY_MS, stepMs: FINE_MINUTES * MINUTE_MS },
  month: { lengthMs: 30 * DAY_MS, stepMs: COARSE_MINUTES * MINUTE_MS },
}

/** Of a device or a container. @throws {BowlineError} NOT_FOUND */
export async function historyOf(
  ctx: Pick<TenantContext, 'db' | 'clock'>,
  uid: DeviceUid,
  period: Period,
): Promise<HealthHistory> {
  const { latest } = (await readLatest(ctx.db, uid)) ?? fail('NOT_FOUND', { what: 'The device' })
  const { lengthMs, stepMs } = PERIODS[period]
  const to = ctx.clock.now()
  const from = Math.floor(to / stepMs) * stepMs + stepMs - lengthMs
  const steps = new Map<number, Point[]>()
  for (const row of await readPoints(ctx.db, uid, new Date(from), period === 'month')) {
    for (const point of pointsOf(row)) {
      const index = Math.floor((Date.parse(point.at) - from) / stepMs)
      steps.set(index, [...(steps.get(index) ?? []), point])
    }
  }
  return {
    latest,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step_seconds: stepMs / 1_000,
    points: Array.from({ length: lengthMs / stepMs }, (_, index) => {
      const at = new Date(from + index * stepMs).toISOString()
      return together(at, steps.get(index) ?? [])
    }),
  }
}

function pointsOf({ step_minutes, begins_at, cpu, memory, disk, load, latency }: PointsRow): Point[] {
  return cpu.map((busy, place) => ({
    at: new Date(begins_at.getTime() + place * step_minutes * MINUTE_MS).toISOString(),
    cpu: busy,
    memory: memory[place] ?? null,
    disk: disk[place] ?? null,
    load: load[place] === null || load[place] === undefined ? null : load[place] / 100,
    latency_ms: latency[place] ?? null,
  }))
}

/** As the points of an hour are folded in the database. */
function together(at: string, points: readonly Point[]): Point {
  const known = (name: Exclude<keyof Point, 'at'>): number[] => points.flatMap((point) => point[name] ?? [])
  const average = (values: readonly number[], digits = 0): number | null => {
    if (values.length === 0) return null
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return Math.round(mean * 10 ** digits) / 10 ** digits
  }
  const highest = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values))
  return {
    at,
    cpu: average(known('cpu')),
    memory: highest(known('memory')),
    disk: highest(known('disk')),
    load: average(known('load'), 2),
    latency_ms: average(known('latency_ms')),
  }
}
