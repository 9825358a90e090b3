// Geometry of the presence charts. Pure.
import type { DevicePresence } from '@bowline/contract/operations/fleet/presence'

/** Width and height of a chart's own coordinates; it is stretched to its place. */
export const WIDTH = 1_000
export const HEIGHT = 100

/**
 * The outline of a value over the buckets, as steps; a gap where nothing is known.
 * @param top value at the upper edge
 * @returns path data of one closed area for each run of known buckets
 */
export function areas<T>(
  buckets: readonly T[],
  valueOf: (bucket: T) => number | null,
  top: number,
  total: number = buckets.length,
): string {
  const x = (index: number) => round((index / total) * WIDTH)
  const y = (value: number) => round(HEIGHT - (Math.min(value, top) / Math.max(1, top)) * HEIGHT)
  let path = ''
  let open = false
  for (const [index, bucket] of buckets.entries()) {
    const value = valueOf(bucket)
    if (value === null) {
      if (open) path += `V${HEIGHT}Z`
      open = false
      continue
    }
    path += open ? `V${y(value)}` : `M${x(index)} ${HEIGHT}V${y(value)}`
    path += `H${x(index + 1)}`
    open = true
  }
  return open ? `${path}V${HEIGHT}Z` : path
}

const round = (value: number): number => Math.round(value * 10) / 10

const ROUND_STEPS = [1, 2, 3, 4, 5, 6, 8, 10] as const

/**
 * The number at the upper edge of a chart of devices: a round one not below the highest value, so that few of many are seen.
 * @param devices of the fleet: no edge is above their number
 */
export function topOf(highest: number, devices: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, highest)))
  const top = magnitude * (ROUND_STEPS.find((step) => step * magnitude >= highest) ?? 10)
  return Math.min(top, Math.max(1, devices, Math.ceil(highest)))
}

/** A piece of the strip of one device, in the strip's coordinates. */
export interface Piece {
  readonly from: number
  readonly width: number
  readonly span: DevicePresence['spans'][number]
}

/** Times online within the period; none is narrower than a visible line. */
export function pieces({ from, to, spans }: DevicePresence): Piece[] {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const x = (at: number) => ((Math.min(end, Math.max(start, at)) - start) / (end - start)) * WIDTH
  const within = spans.filter((span) => span.to === null || Date.parse(span.to) > start)
  return within.map((span) => {
    const left = x(Date.parse(span.from))
    const right = span.to === null ? WIDTH : x(Date.parse(span.to))
    return { from: round(left), width: Math.max(1, round(right - left)), span }
  })
}

export interface Absence {
  readonly from: string
  /** Null while the device is away. */
  readonly to: string | null
  readonly cause: string
}

/** Times offline between the spans, the newest first. */
export function absences({ spans }: DevicePresence): Absence[] {
  return spans
    .flatMap((span, index) =>
      span.to === null ? [] : [{ from: span.to, to: spans[index + 1]?.from ?? null, cause: span.cause }],
    )
    .reverse()
}
