// Requests and TCP connections under way: their limits, and what ends them from this side.
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
  /** The service has begun its answer. */
  answered: boolean
  /** Ends it towards both sides. @param why `timeout` answers with a page if nothing was sent yet */
  end: (why: 'ended' | 'timeout') => void
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
    if (this.#all.size >= total || ofSource >= perSource || ofTunnel >= perTunnel) return false
    this.#all.add(request)
    this.#bySource.set(request.source, ofSource + 1)
    this.#byLabel.set(request.label, ofTunnel + 1)
    return true
  }

  /** The request has found its tunnel. @returns false at the limit of the tunnel's namespace */
  assign(request: OpenRequest, tunnel: LiveTunnel): boolean {
    const ofTenant = this.#byTenant.get(tunnel.tenant) ?? 0
    if (ofTenant >= LIMITS.tunnels.open.perNamespace) return false
    if (!this.#all.has(request)) return true
    this.#byTenant.set(tunnel.tenant, ofTenant + 1)
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
}

function decrement(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}
