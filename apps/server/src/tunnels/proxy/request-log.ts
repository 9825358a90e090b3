// The last requests of each tunnel, in memory: what went through, never its query, headers or bodies.
import { LIMITS } from '@bowline/contract/limits'
import type { TunnelRequest } from '@bowline/contract/schemas/tunnel'

/** Tunnels whose requests are kept; the least recently used is forgotten. */
const MAX_TUNNELS = 1_000
const MAX_PATH = 512

export class RequestLog {
  readonly #tunnels = new Map<string, TunnelRequest[]>()
  #count = 0

  add(address: string, request: Omit<TunnelRequest, 'id'>): void {
    this.#count += 1
    const kept = this.#tunnels.get(address) ?? []
    const path = (request.path.split('?')[0] ?? '').slice(0, MAX_PATH)
    kept.push({ ...request, path, id: String(this.#count) })
    if (kept.length > LIMITS.tunnels.logged) kept.shift()
    this.#tunnels.delete(address)
    this.#tunnels.set(address, kept)
    if (this.#tunnels.size > MAX_TUNNELS) this.#tunnels.delete(String(this.#tunnels.keys().next().value))
  }

  /** Newest first. */
  list(address: string): TunnelRequest[] {
    return [...(this.#tunnels.get(address) ?? [])].reverse()
  }

  forget(address: string): void {
    this.#tunnels.delete(address)
  }
}
