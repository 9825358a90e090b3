// The ssh-connection service (RFC 4254) of one authenticated client: channels, global requests and keepalives.
import type { ChannelHandler, ChannelOpen, CloseCause, SshChannel } from '../api.ts'
import { ask } from '../embedder.ts'
import { timeoutFault } from '../fault.ts'
import type { Transport } from '../transport/transport.ts'
import * as n from '../wire/numbers.ts'
import { WireWriter } from '../wire/writer.ts'
import { readChannelOpen } from './channel-open.ts'
import { Channels } from './channels.ts'
import { GlobalRequests } from './global-requests.ts'
import { announceHostKeys, proveHostKeys } from './host-key-proof.ts'
import { Keepalive } from './keepalive.ts'
import { PendingRequests } from './reply-queue.ts'
import { ServiceLink } from './service-link.ts'
import type { ServiceSetup } from './service-link.ts'

const KEEPALIVE = new WireWriter(32).byte(n.MSG_GLOBAL_REQUEST).string('keepalive@openssh.com').boolean(true).done()

export class ConnectionService {
  readonly #transport: Transport
  readonly #channels: Channels<ChannelOpen>
  readonly #globalRequests: GlobalRequests
  readonly #keepalive: Keepalive

  /** Starts the service after the success message has been sent. */
  constructor(setup: ServiceSetup) {
    const { transport, handler, connection, sessionId } = setup
    const { limits, clock, hostKeys } = setup.options
    const pending = new PendingRequests(limits.pendingRequests)
    this.#transport = transport
    const link = new ServiceLink(setup, pending, (id) => this.#channels.remove(id))
    this.#channels = new Channels(link, {
      read: readChannelOpen,
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

  /** Bytes of all channels that wait for the side that they are for. */
  get heldBytes(): number {
    return this.#channels.heldBytes
  }

  /** No channel has queued output. */
  get idle(): boolean {
    return this.#channels.idle
  }

  /** Handles any message from 80 up. */
  message(type: number, payload: Buffer, sequence: number): void {
    if (type === n.MSG_CHANNEL_OPEN) return this.#channels.openFromPeer(payload)
    if (type === n.MSG_GLOBAL_REQUEST) return this.#globalRequests.receive(payload)
    if (type >= n.MSG_CHANNEL_OPEN_CONFIRMATION && type <= n.MSG_CHANNEL_FAILURE) {
      return this.#channels.receive(type, payload)
    }
    // Replies to our keepalives carry no information beyond their arrival.
    if (type === n.MSG_REQUEST_SUCCESS || type === n.MSG_REQUEST_FAILURE) return
    this.#transport.unimplemented(sequence)
  }

  /** Bytes have arrived: the client is alive. */
  heard(): void {
    this.#keepalive.heard()
  }

  /** The transport accepts output again. */
  pump(): void {
    this.#channels.pump()
  }

  openChannel(type: string, data: Uint8Array, attach: (channel: SshChannel) => ChannelHandler): Promise<SshChannel> {
    return this.#channels.openTowardsPeer(type, data, attach)
  }

  /** The connection has ended. */
  abort(cause: CloseCause): void {
    this.#keepalive.stop()
    this.#channels.abort(cause)
  }
}
