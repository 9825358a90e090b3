/** Formats the distribution of times in milliseconds, as measurements print it. */
export function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)} ms`
  return `median ${at(0.5)}, p95 ${at(0.95)}, slowest ${at(1)}`
}
