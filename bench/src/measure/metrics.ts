// Reads the server's /metrics like Prometheus does. The parser is pure.

/**
 * The value of a metric without labels in Prometheus' text format.
 * @throws {Error} when it is missing
 */
export function metricOf(text: string, name: string): number {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  if (value === undefined) throw new Error(`/metrics has no ${name}`)
  return Number(value)
}

export interface ServerMetrics {
  readonly agents: number
  /** Longest event loop iteration since the last scrape, in milliseconds. */
  readonly stallMs: number
}

/** @param origin http:// of the server on this machine */
export async function readMetrics(origin: string): Promise<ServerMetrics> {
  const response = await fetch(`${origin}/metrics`)
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`)
  const text = await response.text()
  return {
    agents: metricOf(text, 'bowline_agents'),
    stallMs: metricOf(text, 'nodejs_eventloop_lag_max_seconds') * 1_000,
  }
}
