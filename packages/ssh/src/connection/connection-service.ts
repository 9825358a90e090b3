// The ssh-connection service (RFC 4254) of one signed-in client: channels, global requests and keepalives.
import type { ChannelHandler, CloseCause, ConnectionHandler, SshChannel, SshConnection } from '../api.ts'
import { ask } from '../embedder.ts'
import { timeoutFault } from '../fault.ts'
import type { Fault } from '../fault.ts'
import type { PreparedOptions } from '../server-options.ts'
import type { Transport } from '../transport/transport.ts'
import * as n from '../wire/numbers.ts'
import { WireWriter } from '../wire/writer.ts'
import type { ChannelLink } from './channel-link.ts'
import { Channels } from './channels.ts'
import { GlobalRequests } from './global-requests.ts'
import { announceHostKeys, proveHostKeys } from './host-key-proof.ts'
import { Keepalive } from './keepalive.ts'
import { GrowthBudget } from './receive-window.ts'
import { PendingRequests } from './reply-queue.ts'

/** Windows of one connection may grow by this many channels' worth together. */
const GROWING_CHANNELS = 4

const KEEPALIVE = new WireWriter(32).byte(n.MSG_GLOBAL_REQUEST).string('keepalive@openssh.com').boolean(true).done()

export interface ServiceSetup {
  readonly connection: SshConnection
  readonly handler: ConnectionHandler
  readonly options: PreparedOptions
  readonly transport: Transport
  readonly sessionId: Buffer
  /** Runs at the end of this turn of the event loop, unless the connection has ended. */
  soon(run: () => void): void
  fail(fault: Fault): void
}

export class ConnectionService {
  readonly #transport: Transport
  readonly #channels: Channels
  readonly #globalRequests: GlobalRequests
  readonly #keepalive: Keepalive

  /** Starts the service: the success message has been sent. */
  constructor(setup: ServiceSetup) {
    const { transport, handler, connection, sessionId } = setup
    const { limits, clock, hostKeys } = setup.options
    const pending = new PendingRequests(limits.pendingRequests)
    this.#transport = transport
    this.#channels = new Channels(this.#link(setup, pending), {
      decide: (request) => ask(() => handler.open(connection, request)),
    })
    this.#globalRequests = new GlobalRequests(pending, {
      listen: (request) => ask(() => handler.listen?.(connection, request)),
      unlisten: async (request) => (await ask(() => handler.unlisten?.(connection, request))) ?? false,
      noMoreSessions: () => {
        this.#channels.sessionsRefused = true
      },
      proveHostKeys: (blobs) => proveHostKeys(hostKeys, blobs, sessionId),
      send: (payload) => transport.send(payload),
    })
    transport.send(announceHostKeys(hostKeys))
    this.#keepalive = new Keepalive({
      intervalMs: limits.keepaliveMs,
      misses: limits.keepaliveMisses,
      clock,
      ask: () => transport.send(KEEPALIVE),
      dead: () => setup.fail(timeoutFault('keepalive', 'The client stopped answering.')),
    })
  }

  /** No channel has output waiting. */
  get idle(): boolean {
    return this.#channels.idle
  }

  /** Any message from 80 up. */
  message(type: number, payload: Buffer, sequence: number): void {
    if (type === n.MSG_CHANNEL_OPEN) return this.#channels.openFromClient(payload)
    if (type === n.MSG_GLOBAL_REQUEST) return this.#globalRequests.receive(payload)
    if (type >= n.MSG_CHANNEL_OPEN_CONFIRMATION && type <= n.MSG_CHANNEL_FAILURE) {
      return this.#channels.receive(type, payload)
    }
    // Answers to our keepalives need nothing but their arrival.
    if (type === n.MSG_REQUEST_SUCCESS || type === n.MSG_REQUEST_FAILURE) return
    this.#transport.unimplemented(sequence)
  }

  /** Bytes have arrived: the client lives. */
  heard(): void {
    this.#keepalive.heard()
  }

  /** The transport takes output again. */
  pump(): void {
    this.#channels.pump()
  }

  openChannel(type: string, data: Uint8Array, attach: (channel: SshChannel) => ChannelHandler): Promise<SshChannel> {
    return this.#channels.openTowardsClient(type, data, attach)
  }

  /** The connection has ended. */
  abort(cause: CloseCause): void {
    this.#keepalive.stop()
    this.#channels.abort(cause)
  }

  #link(setup: ServiceSetup, pendingRequests: PendingRequests): ChannelLink {
    const { transport, connection, options } = setup
    const { limits, clock } = options
    return {
      connection,
      limits,
      growth: new GrowthBudget(GROWING_CHANNELS * (limits.windowMaxBytes - limits.windowBytes)),
      pendingRequests,
      get writable() {
        return transport.writable
      },
      now: () => clock.now(),
      send: (head, body) => transport.send(head, body),
      sendInPlace: (block, from, to) => transport.sendInPlace(block, from, to),
      soon: (run) => setup.soon(run),
      fail: (fault) => setup.fail(fault),
      callHandler: (channel, call) => {
        try {
          return call()
        } catch {
          channel.close()
          return undefined
        }
      },
      remove: (channel) => this.#channels.remove(channel.id),
    }
  }
}
