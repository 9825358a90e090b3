// Requests and TCP connections under way: their limits, and what ends them from this side. Whoever opens many and lets
// them wait keeps nobody out: at a limit the source with the most of those gives one up.
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { LiveTunnel } from '../live.ts'

/** A request, WebSocket or TCP connection under way. */
export interface OpenRequest {
  /** Host name below the domain of tunnels by which it has come; '' for none that a tunnel can have. */
  readonly label: string
  readonly source: string
  /** Set once the tunnel has been found. */
  tunnel?: LiveTunnel
  /** Checks again that the visitor may be here. */
  mayStay?: (tunnel: LiveTunnel) => Promise<boolean>
  /** Monotonic milliseconds of the last byte in either direction. */
  activeAt: number
  /** The service has begun its answer; for TCP, the client has taken it up. */
  answered: boolean
  /** Ends it towards both sides. @param why `timeout` and `crowded` answer with a page if nothing was sent yet */
  end: (why: 'ended' | 'timeout' | 'crowded') => void
}

export class OpenRequests {
  readonly #all = new Set<OpenRequest>()
  readonly #bySource = new Map<string, number>()
  readonly #byLabel = new Map<string, number>()
  readonly #byTenant = new Map<string, number>()

  get count(): number {
    return this.#all.size
  }

  has(request: OpenRequest): boolean {
    return this.#all.has(request)
  }

  /** @returns false at a limit */
  add(request: OpenRequest): boolean {
    const { perTunnel, perSource, total } = LIMITS.tunnels.open
    const ofSource = this.#bySource.get(request.source) ?? 0
    const ofTunnel = this.#byLabel.get(request.label) ?? 0
    if (ofSource >= perSource) return false
    if (ofTunnel >= perTunnel && !this.#makeRoom(request, ({ label }) => label === request.label)) return false
    if (this.#all.size >= total && !this.#makeRoom(request, () => true)) return false
    this.#all.add(request)
    increment(this.#bySource, request.source)
    increment(this.#byLabel, request.label)
    return true
  }

  /** The request has found its tunnel. @returns false at the limit of the tunnel's namespace */
  assign(request: OpenRequest, tunnel: LiveTunnel): boolean {
    const { tenant } = tunnel
    const isFull = (this.#byTenant.get(tenant) ?? 0) >= LIMITS.tunnels.open.perNamespace
    if (isFull && !this.#makeRoom(request, (other) => other.tunnel?.tenant === tenant)) return false
    if (!this.#all.has(request)) return true
    increment(this.#byTenant, tenant)
    request.tunnel = tunnel
    return true
  }

  remove(request: OpenRequest): void {
    if (!this.#all.delete(request)) return
    if (request.tunnel) decrement(this.#byTenant, request.tunnel.tenant)
    decrement(this.#bySource, request.source)
    decrement(this.#byLabel, request.label)
  }

  /** Requests that have reached a tunnel. */
  get admitted(): OpenRequest[] {
    return [...this.#all].filter(({ tunnel }) => tunnel !== undefined)
  }

  of(scope: { readonly tenant?: TenantId; readonly device?: DeviceUid; readonly address?: string }): OpenRequest[] {
    return this.admitted.filter(
      ({ tunnel }) =>
        (scope.tenant === undefined || tunnel?.tenant === scope.tenant) &&
        (scope.device === undefined || tunnel?.device === scope.device) &&
        (scope.address === undefined || tunnel?.address === scope.address),
    )
  }

  endAll(): void {
    for (const request of this.#all) request.end('ended')
  }

  /**
   * Ends the oldest unanswered request of the source that has most of them, if that is more than the newcomer's source
   * would have.
   * @param among those that share the limit
   */
  #makeRoom(newcomer: OpenRequest, among: (other: OpenRequest) => boolean): boolean {
    const bySource = new Map<string, OpenRequest[]>()
    for (const other of this.#all) {
      if (other === newcomer || other.answered || !among(other)) continue
      const held = bySource.get(other.source)
      if (held) held.push(other)
      else bySource.set(other.source, [other])
    }
    let most: readonly OpenRequest[] = []
    for (const held of bySource.values()) if (held.length > most.length) most = held
    const [oldest] = most
    if (!oldest || most.length <= (bySource.get(newcomer.source)?.length ?? 0) + 1) return false
    this.remove(oldest)
    oldest.end('crowded')
    return true
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function decrement(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}
