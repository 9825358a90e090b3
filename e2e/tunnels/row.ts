// The board of the HTTP tunnels: a feature of HTTP, used with a service directly and through a tunnel to it. A row is
// green when it worked on both with the same result, or with the difference that it explains.
import type { ClientHttp2Session } from 'node:http2'
import type { Duplex } from 'node:stream'

/** Services of the device. */
export const SERVICES = ['nginx', 'Node HTTP/1.1', 'Node HTTP/2', 'gRPC', 'WebSocket'] as const
export type ServiceName = (typeof SERVICES)[number]

export type Protocol = 'HTTP/1.1' | 'HTTP/2'

/** One of the two ways to a service. */
export interface Site {
  readonly name: 'direct' | 'tunnel'
  /** What the client speaks. Directly that is what the service speaks. */
  readonly protocol: Protocol
  readonly scheme: 'http' | 'https'
  /** Host and port for `Host` and `:authority`. */
  readonly authority: string
  /** Where a client that opens connections by itself goes, such as that of gRPC. */
  readonly port: number
  /** PEM of what it trusts; '' where there is no TLS. */
  readonly certificate: string
  /** Opens a connection for HTTP/1.1. @param source local address */
  dial(source?: string): Duplex
  /** Opens a connection for HTTP/2. */
  session(): ClientHttp2Session
}

/** The result, as JSON values that are stable between runs. */
export type Outcome = unknown

export interface Row {
  readonly service: ServiceName
  readonly client: Protocol
  readonly feature: string
  /** @throws {Error} when the feature did not work; a row must not be green because it failed in the same way twice */
  run(site: Site): Promise<Outcome>
  /** A difference that the documentation names: the outcome through the tunnel, and why. */
  readonly explained?: Explanation | undefined
}

export interface Explanation {
  readonly why: string
  /** Turns the outcome of the service itself into that through the tunnel. */
  readonly turns: (direct: never) => Outcome
}
