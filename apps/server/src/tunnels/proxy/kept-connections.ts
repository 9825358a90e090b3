// Connections to services that stay open after an answer, for the next request of the same visitor: opening one through
// the device costs more than a small request does. Each belongs to one connection of a visitor, so that no answer can
// reach another visitor.
import { Agent, type ClientRequest as Outgoing, type RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import { LIMITS } from '@bowline/contract/limits'
import type { LiveTunnel } from '../live.ts'
import type { ClientRequest } from './exchange.ts'

/** Less than the 5 s after which common servers close an idle connection. */
const IDLE_MS = 3_000

/** Where a request may use a kept connection, and how to open one. */
export interface KeptOptions extends RequestOptions {
  readonly agent: Agent
  /** Connections of the same key are interchangeable. */
  readonly key: string
  readonly open: () => Duplex
}

export class KeptConnections {
  readonly #clock: Clock
  readonly #agents = new WeakMap<object, KeepingAgent>()
  /** Number of idle connections by tunnel. */
  readonly #idle = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Options for a request without a body that may be repeated (RFC 9110 section 9.2.2): a service may close a connection
   * at the moment in which it is used again.
   * @param remote address of the visitor: a balancer may carry several over one connection
   * @returns undefined when the visitor's connection has ended
   */
  optionsFor(request: ClientRequest, remote: string, tunnel: LiveTunnel, open: () => Duplex): KeptOptions | undefined {
    const visitor = 'stream' in request ? request.stream.session : request.socket
    if (!visitor || visitor.destroyed) return undefined
    let agent = this.#agents.get(visitor)
    if (!agent) {
      const created = new KeepingAgent(this.#clock, this.#idle)
      this.#agents.set(visitor, created)
      visitor.once('close', () => created.destroy())
      agent = created
    }
    const { address, device, host, port, tls, hostHeader } = tunnel
    return { agent, open, key: [address, device, host, port, tls, hostHeader, remote].join(' ') }
  }
}

/** Node's agent does the bookkeeping; this one opens connections through devices and bounds how many wait. */
class KeepingAgent extends Agent {
  readonly #clock: Clock
  readonly #idle: Map<string, number>
  /** Ends the wait of an idle connection. */
  readonly #waits = new WeakMap<Duplex, () => void>()
  readonly #tunnels = new WeakMap<Duplex, string>()

  constructor(clock: Clock, idle: Map<string, number>) {
    super({ keepAlive: true, maxFreeSockets: 4 })
    this.#clock = clock
    this.#idle = idle
  }

  override getName(options?: object): string {
    return (options as KeptOptions).key
  }

  override createConnection(options: object): Duplex {
    const { open, key } = options as KeptOptions
    const connection = open()
    this.#tunnels.set(connection, key.slice(0, key.indexOf(' ')))
    return connection
  }

  /**
   * Keeps a connection until it is used again, the service ends it or sends bytes, or its time is over.
   * @returns false where it must be closed: bytes that nobody has asked for would pass as the next answer
   */
  override keepSocketAlive(connection: Duplex): boolean {
    const tunnel = this.#tunnels.get(connection) ?? ''
    const count = this.#idle.get(tunnel) ?? 0
    if (connection.readableLength > 0 || connection.readableEnded || count >= LIMITS.tunnels.idleConnections)
      return false
    this.#idle.set(tunnel, count + 1)
    const close = (): void => void connection.destroy()
    const cancel = this.#clock.after(IDLE_MS, close)
    const over = (): void => {
      cancel()
      connection.off('data', close).off('end', close).off('close', over)
      this.#waits.delete(connection)
      const left = (this.#idle.get(tunnel) ?? 1) - 1
      if (left > 0) this.#idle.set(tunnel, left)
      else this.#idle.delete(tunnel)
    }
    // A half-open stream emits `end` once: a request that took the connection afterwards would wait forever.
    connection.on('data', close).on('end', close).on('close', over)
    this.#waits.set(connection, over)
    return true
  }

  override reuseSocket(connection: Duplex, outgoing: Outgoing): void {
    this.#waits.get(connection)?.()
    super.reuseSocket(connection, outgoing)
  }
}
