// Declares all metrics, in Prometheus' text format; the rest of the server only counts.
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client'

/** Recordings that are being uploaded. */
export interface UploadCounts {
  readonly waiting: number
  readonly failures: number
  readonly bytes: number
  readonly away: boolean
}

export interface Metrics {
  readonly registry: Registry
  /** SSH connections refused by admission, by reason. */
  readonly sshRefused: Counter<'reason'>
  /** Closed SSH connections, by cause. */
  readonly sshClosed: Counter<'by' | 'reason' | 'authenticated'>
  readonly docsSearches: Counter
  /** Views and clicks of search results, as reported by clients. */
  readonly docsSearchEvents: Counter<'type'>
  readonly docsPageViews: Counter
  readonly docsFeedback: Counter<'helpful'>
}

/** @param read current values, read at each scrape */
export function createMetrics(read: {
  agents: () => number
  connections: () => number
  listeners: () => number
  /** undefined without a store */
  uploads: UploadCounts | undefined
}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauge = (name: string, help: string, value: () => number): void => {
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(value())
        },
      }),
    )
  }
  const counter = (name: string, help: string, value: () => number): void => {
    registry.registerMetric(
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset()
          this.inc(value())
        },
      }),
    )
  }
  const { uploads } = read
  if (uploads) {
    gauge(
      'bowline_recording_uploads_waiting',
      'Finished recordings that the store does not have yet',
      () => uploads.waiting,
    )
    counter('bowline_recording_uploads_failed_total', 'Attempts to use the store that failed', () => uploads.failures)
    counter(
      'bowline_recording_uploads_bytes_total',
      'Bytes of recordings that the store has taken',
      () => uploads.bytes,
    )
    gauge('bowline_recording_store_up', 'Whether the store of recordings does what it should', () =>
      Number(!uploads.away),
    )
  }
  gauge('bowline_agents', 'Devices whose link is held by this process', read.agents)
  gauge('bowline_ssh_connections', 'SSH connections held by this process', read.connections)
  gauge('bowline_event_listeners', 'Live event streams held by this process', read.listeners)
  return {
    registry,
    sshRefused: new Counter({
      name: 'bowline_ssh_refused_total',
      help: 'SSH connections refused before the handshake',
      labelNames: ['reason'],
      registers: [registry],
    }),
    sshClosed: new Counter({
      name: 'bowline_ssh_closed_total',
      help: 'SSH connections that ended',
      labelNames: ['by', 'reason', 'authenticated'],
      registers: [registry],
    }),
    docsSearches: new Counter({
      name: 'bowline_docs_searches_total',
      help: 'Queries to the search of the documentation',
      registers: [registry],
    }),
    docsSearchEvents: new Counter({
      name: 'bowline_docs_search_events_total',
      help: 'Events of the search of the documentation',
      labelNames: ['type'],
      registers: [registry],
    }),
    docsPageViews: new Counter({
      name: 'bowline_docs_page_views_total',
      help: 'Views of pages of the documentation',
      registers: [registry],
    }),
    docsFeedback: new Counter({
      name: 'bowline_docs_feedback_total',
      help: 'Answers to whether a page of the documentation helped',
      labelNames: ['helpful'],
      registers: [registry],
    }),
  }
}
