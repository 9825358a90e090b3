// Statistics of repeated measurements. Pure; no measurement is discarded as an outlier.

/** Median and range of several values, in the unit of the values. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** @throws {RangeError} without values */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

/** The middle value, or the mean of the two middle ones. @throws {RangeError} without values */
export function median(values: readonly number[]): number {
  const sorted = sortedCopy(values)
  const upper = at(sorted, Math.floor(sorted.length / 2))
  return sorted.length % 2 === 1 ? upper : (at(sorted, sorted.length / 2 - 1) + upper) / 2
}

/**
 * The smallest value that at least `share` of the values do not exceed (nearest rank: always a measured value).
 * @param share above 0, at most 1
 * @throws {RangeError} without values
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = sortedCopy(values)
  return at(sorted, Math.max(0, Math.ceil(share * sorted.length) - 1))
}

/**
 * Ratios of values that were measured next to each other: influences on both of a pair cancel out.
 * @throws {RangeError} when the two differ in length, are empty, or a peer's value is not positive
 */
export function pairedRatios(ours: readonly number[], peers: readonly number[]): number[] {
  if (ours.length !== peers.length) throw new RangeError(`${ours.length} values have ${peers.length} peers`)
  sortedCopy(ours)
  return ours.map((value, index) => {
    const peer = at(peers, index)
    if (!(peer > 0)) throw new RangeError(`a ratio to ${peer} says nothing`)
    return value / peer
  })
}

function sortedCopy(values: readonly number[]): number[] {
  if (values.length === 0) throw new RangeError('nothing was measured')
  return [...values].sort((a, b) => a - b)
}

function at(values: readonly number[], index: number): number {
  const value = values[index]
  if (value === undefined) throw new RangeError(`no value ${index} of ${values.length}`)
  return value
}
