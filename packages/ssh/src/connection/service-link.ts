// A channel's view of the connection. A class, because V8 keeps an object of closures with a getter as a hash table:
// 832 bytes for each connection, and slow to look up on every packet.
import type { ConnectionHandler, PeerAddress, SshConnection, SshLimits } from '../api.ts'
import type { Fault } from '../fault.ts'
import type { PreparedOptions } from '../server-options.ts'
import type { Side } from '../transport/role.ts'
import type { Transport } from '../transport/transport.ts'
import type { ChannelLink } from './channel-link.ts'
import { GrowthBudget } from './receive-window.ts'
import type { PendingRequests } from './reply-queue.ts'

/** The windows of one connection may grow in total by this many channels' worth. */
const GROWING_CHANNELS = 4

/** What both sides' services need. */
export interface LinkSetup {
  readonly connection: { readonly peer: PeerAddress }
  readonly side: Side
  readonly options: Pick<PreparedOptions, 'limits' | 'clock'>
  readonly transport: Transport
  /** Runs at the end of this event loop iteration, unless the connection has ended. */
  soon(run: () => void): void
  fail(fault: Fault): void
}

/** Parameters of the ssh-connection service. */
export interface ServiceSetup extends LinkSetup {
  readonly side: 'server'
  readonly connection: SshConnection
  readonly handler: ConnectionHandler
  readonly options: PreparedOptions
  readonly sessionId: Buffer
}

export class ServiceLink implements ChannelLink {
  readonly connection: { readonly peer: PeerAddress }
  readonly side: Side
  readonly limits: SshLimits
  readonly growth: GrowthBudget
  readonly pendingRequests: PendingRequests
  readonly now: () => number
  readonly #transport: Transport
  readonly #setup: LinkSetup
  readonly #remove: (id: number) => void

  /** @param remove called when both sides have closed a channel */
  constructor(setup: LinkSetup, pendingRequests: PendingRequests, remove: (id: number) => void) {
    const { limits, clock } = setup.options
    this.connection = setup.connection
    this.side = setup.side
    this.limits = limits
    this.growth = new GrowthBudget(GROWING_CHANNELS * (limits.windowMaxBytes - limits.windowBytes))
    this.pendingRequests = pendingRequests
    this.now = () => clock.monotonic()
    this.#transport = setup.transport
    this.#setup = setup
    this.#remove = remove
  }

  get writable(): boolean {
    return this.#transport.writable
  }

  send(head: Uint8Array, body?: readonly Uint8Array[]): void {
    this.#transport.send(head, body)
  }

  sendInPlace(block: Buffer, from: number, to: number): void {
    this.#transport.sendInPlace(block, from, to)
  }

  after(delayMs: number, run: () => void): void {
    this.#setup.options.clock.after(delayMs, run)
  }

  soon(run: () => void): void {
    this.#setup.soon(run)
  }

  fail(fault: Fault): void {
    this.#setup.fail(fault)
  }

  callHandler<T>(channel: { close(): void }, call: () => T): T | undefined {
    try {
      return call()
    } catch {
      channel.close()
      return undefined
    }
  }

  remove(channel: { readonly id: number }): void {
    this.#remove(channel.id)
  }
}
