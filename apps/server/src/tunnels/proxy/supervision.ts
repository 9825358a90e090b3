// Watches what is under way through tunnels, requests and TCP connections alike: ends it with its tunnel, at the
// tunnel's expiry, when its visitor may no longer be there, and when nothing comes any more.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { TunnelRequest } from '@bowline/contract/schemas/tunnel'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { Log } from '../../platform/log.ts'
import { type LiveTunnel, findLive } from '../live.ts'
import { type OpenRequest, OpenRequests } from './open-requests.ts'
import { RequestLog } from './request-log.ts'

export interface Supervision {
  readonly open: OpenRequests
  /** Adds a request to the log of its tunnel, and tells that there is one. */
  record(tunnel: Pick<LiveTunnel, 'address' | 'tenant'>, request: Omit<TunnelRequest, 'id'>): void
  /** Judges again what is under way: of one tunnel, one namespace, or all. */
  review(scope?: { readonly tenant?: TenantId; readonly address?: string }): Promise<void>
  /** Ends a request at its tunnel's expiry, unless that has slid. @returns cancel */
  watchExpiry(entry: OpenRequest): () => void
  /** Recent requests of a tunnel, newest first. */
  requests(address: string): TunnelRequest[]
  start(): void
  /** Ends everything under way. */
  close(): void
}

export interface SupervisionDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  /** Tunnels of a namespace have carried requests. */
  readonly used: (tenant: TenantId) => void
}

const SWEEP_INTERVAL_MS = 5_000
/** Requests of this time are told of together. */
const NEWS_MS = 1_000
/** Time without a byte in which a service must begin its answer. */
const ANSWER_TIMEOUT_MS = 120_000
/** Time without a byte in either direction after which a request, WebSocket or TCP connection ends. */
const IDLE_TIMEOUT_MS = 3_600_000
/** Timers cannot wait for longer than some weeks. */
const MAX_WAIT_MS = 86_400_000

export function superviseTunnels({ system, clock, log, used }: SupervisionDeps): Supervision {
  const open = new OpenRequests()
  const logged = new RequestLog()
  /** Namespaces that will be told. */
  const news = new Set<TenantId>()
  /** A periodic review is under way: a slow database must not pile them up. */
  let isReviewing = false
  let stopSweeping = (): void => undefined

  async function review(scope: { readonly tenant?: TenantId; readonly address?: string } = {}): Promise<void> {
    const entries = open.of(scope)
    const addresses = new Set(entries.flatMap(({ tunnel }) => tunnel?.address ?? []))
    const live = await findLive(system, [...addresses], clock.now())
    for (const entry of entries) {
      const current = live.get(entry.tunnel?.address ?? '')
      const stays = current?.device === entry.tunnel?.device && current && (await entry.mayStay?.(current))
      if (stays) entry.tunnel = current
      else entry.end('ended')
    }
  }

  function watchExpiry(entry: OpenRequest): () => void {
    const { expiresAt, address } = entry.tunnel ?? {}
    if (expiresAt === undefined || address === undefined) return () => undefined
    let cancel = clock.after(Math.min(Math.max(0, expiresAt - clock.now()) + 1, MAX_WAIT_MS), () => {
      review({ address }).then(
        () => {
          if (open.has(entry)) cancel = watchExpiry(entry)
        },
        // The next sweep repairs it.
        (error: unknown) => log.error('tunnels.error', { err: error }),
      )
    })
    return () => cancel()
  }

  function tell(tenant: TenantId): void {
    if (news.has(tenant)) return
    news.add(tenant)
    clock.after(NEWS_MS, () => {
      news.delete(tenant)
      used(tenant)
    })
  }

  function sweep(): void {
    const now = clock.monotonic()
    for (const entry of open.admitted) {
      const limit = entry.answered ? IDLE_TIMEOUT_MS : ANSWER_TIMEOUT_MS
      if (now - entry.activeAt > limit) entry.end(entry.answered ? 'ended' : 'timeout')
    }
    if (isReviewing) return
    isReviewing = true
    review()
      .catch((error: unknown) => log.error('tunnels.error', { err: error }))
      .finally(() => (isReviewing = false))
  }

  return {
    open,
    record({ address, tenant }, request) {
      logged.add(address, request)
      tell(tenant)
    },
    review,
    watchExpiry,
    requests: (address) => logged.list(address),
    start() {
      stopSweeping = clock.every(SWEEP_INTERVAL_MS, sweep)
    },
    close() {
      stopSweeping()
      open.endAll()
    },
  }
}
