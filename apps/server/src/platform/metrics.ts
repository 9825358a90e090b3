// Declares all metrics, in Prometheus' text format; the rest of the server only counts.
import { Counter, Gauge, Registry } from 'prom-client'
import { watchProcess } from './process-metrics.ts'
import { VERSION } from './version.ts'

/** Recordings that are being uploaded. */
export interface UploadCounts {
  readonly waiting: number
  readonly failures: number
  readonly bytes: number
  readonly away: boolean
}

/** Mails since the start. */
export interface MailCounts {
  readonly queued: number
  readonly sent: number
  readonly failed: number
}

/** Certificates that this process shows. */
export interface CertificateCounts {
  /** Ends by use, in milliseconds since the epoch. */
  readonly ends: () => ReadonlyMap<string, number>
  /** Failed attempts to get one, since the start. */
  readonly failures: () => number
}

/** Updates of agents, over all namespaces: numbers by label. */
export interface UpdateCounts {
  /** Namespaces by the state of their latest rollout. */
  readonly rollouts: Readonly<Record<string, number>>
  /** Devices by how far they are with it. */
  readonly devices: Readonly<Record<string, number>>
  /** Devices on which it failed, by cause. */
  readonly failures: Readonly<Record<string, number>>
  /** Devices by the release that they report: those of rollouts, `0` for none, `other`. */
  readonly releases: Readonly<Record<string, number>>
}

export interface Metrics {
  readonly registry: Registry
  /** Begins to measure the process. Call once it serves: its start occupies the event loop for a second. */
  watchProcess(): void
  /** SSH connections refused by admission, by reason. */
  readonly sshRefused: Counter<'reason'>
  /** Connections at the port of TCP tunnels that reached none, by reason. */
  readonly tunnelsRefused: Counter<'reason'>
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
  /** Other nodes that are alive and without a link. */
  unlinkedNodes: () => number
  /** Bytes that recordings may still use on their disk; negative when it is full. */
  recordingRoom: () => Promise<number>
  /** undefined without a store */
  uploads: UploadCounts | undefined
  mails: MailCounts
  alerts: Readonly<Record<'sent' | 'failed', number>>
  certificates: CertificateCounts
  /** undefined while the database is away */
  agentUpdates: () => Promise<UpdateCounts | undefined>
  /** Resolves when the database answers; rejects within seconds otherwise. */
  ping: () => Promise<void>
}): Metrics {
  const registry = new Registry()
  const build = { name: 'bowline_build_info', help: 'The version that runs', labelNames: ['version'] }
  new Gauge({ ...build, registers: [registry] }).set({ version: VERSION }, 1)
  registry.registerMetric(
    new Gauge({
      name: 'bowline_database_up',
      help: 'Whether the database answered this scrape',
      registers: [],
      async collect() {
        this.set(
          await read.ping().then(
            () => 1,
            () => 0,
          ),
        )
      },
    }),
  )
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
  const labelled = (name: string, help: string, label: string, part: keyof UpdateCounts): void => {
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [],
        async collect() {
          this.reset()
          const counts = (await read.agentUpdates())?.[part] ?? {}
          for (const [value, count] of Object.entries(counts)) this.set({ [label]: value }, count)
        },
      }),
    )
  }
  const { uploads, mails, alerts, certificates } = read
  registry.registerMetric(
    new Gauge({
      name: 'bowline_recording_disk_free_bytes',
      help: 'Bytes that recordings may still use on the disk of this process; negative when it is full',
      registers: [],
      async collect() {
        this.set(await read.recordingRoom())
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'bowline_certificate_end_timestamp_seconds',
      help: 'When the certificate that this process shows ends, in seconds since the epoch',
      labelNames: ['use'],
      registers: [],
      collect() {
        for (const [use, end] of certificates.ends()) this.set({ use }, end / 1_000)
      },
    }),
  )
  counter(
    'bowline_certificate_orders_failed_total',
    'Attempts of this process to get a certificate that failed',
    certificates.failures,
  )
  counter('bowline_mails_queued_total', 'Mails written to the outbox by this process', () => mails.queued)
  counter('bowline_mails_sent_total', 'Mails that a mail server has taken from this process', () => mails.sent)
  counter('bowline_mails_failed_total', 'Mails that this process has given up', () => mails.failed)
  counter('bowline_alerts_sent_total', 'Messages of alert rules that an address has taken', () => alerts.sent)
  counter('bowline_alerts_failed_total', 'Messages of alert rules that were given up', () => alerts.failed)
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
  labelled(
    'bowline_agent_rollouts',
    'Namespaces by the state of their latest rollout of agents, of the whole installation',
    'state',
    'rollouts',
  )
  labelled(
    'bowline_agent_update_devices',
    'Devices by how far they are with the latest rollout, of the whole installation',
    'state',
    'devices',
  )
  labelled(
    'bowline_agent_update_failures',
    'Devices on which the latest rollout failed, by cause, of the whole installation',
    'cause',
    'failures',
  )
  labelled(
    'bowline_agent_releases',
    'Devices by the release of their agent, of the whole installation',
    'release',
    'releases',
  )
  gauge('bowline_ssh_connections', 'SSH connections held by this process', read.connections)
  gauge('bowline_nodes_unlinked', 'Other nodes that are alive and have no link with this one', read.unlinkedNodes)
  gauge('bowline_event_listeners', 'Live event streams held by this process', read.listeners)
  return {
    registry,
    watchProcess: () => watchProcess(registry),
    sshRefused: new Counter({
      name: 'bowline_ssh_refused_total',
      help: 'SSH connections refused before the handshake',
      labelNames: ['reason'],
      registers: [registry],
    }),
    tunnelsRefused: new Counter({
      name: 'bowline_tunnel_connections_refused_total',
      help: 'Connections to the port of TCP tunnels that reached no tunnel',
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
