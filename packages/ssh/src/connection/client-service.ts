// The client's side of the ssh-connection service (RFC 4254): channels, global requests and keepalives.
import type { ChannelOpen, CloseCause, ListenRequest } from '../api.ts'
import type { ClientChannel, ClientChannelHandler, ClientHandler, ServerChannelOpen } from '../client-api.ts'
import { ask } from '../embedder.ts'
import { timeoutFault } from '../fault.ts'
import type { Transport } from '../transport/transport.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import { encodeOpenFields, readServerChannelOpen } from './channel-open.ts'
import { Channels } from './channels.ts'
import { Keepalive } from './keepalive.ts'
import { PendingRequests } from './reply-queue.ts'
import { SentRequests } from './sent-requests.ts'
import { type LinkSetup, ServiceLink } from './service-link.ts'

export interface ClientServiceSetup extends LinkSetup {
  readonly side: 'client'
  readonly handler: ClientHandler
}

/** The payload of a success after the message number; undefined for a failure. */
type GlobalAnswer = Uint8Array | undefined

export class ClientService {
  readonly #transport: Transport
  readonly #channels: Channels<ServerChannelOpen>
  readonly #keepalive: Keepalive
  readonly #sent = new SentRequests<GlobalAnswer>()

  /** Starts the service after the success message has arrived. */
  constructor(setup: ClientServiceSetup) {
    const { transport, handler } = setup
    const { limits, clock } = setup.options
    this.#transport = transport
    const pending = new PendingRequests(limits.pendingRequests)
    const link = new ServiceLink(setup, pending, (id) => this.#channels.remove(id))
    this.#channels = new Channels(link, {
      read: readServerChannelOpen,
      decide: (request) => ask(() => handler.open?.(request)),
    })
    this.#keepalive = new Keepalive({
      intervalMs: limits.keepaliveMs,
      misses: limits.keepaliveMisses,
      clock,
      ask: () => this.#globalRequest('keepalive@openssh.com').catch(() => undefined),
      dead: () => setup.fail(timeoutFault('keepalive', 'The server stopped answering.')),
    })
  }

  /** No channel has queued output. */
  get idle(): boolean {
    return this.#channels.idle
  }

  /** Handles any message from 80 up. */
  message(type: number, payload: Buffer, sequence: number): void {
    if (type === n.MSG_CHANNEL_OPEN) return this.#channels.openFromPeer(payload)
    if (type === n.MSG_GLOBAL_REQUEST) return this.#serverRequest(payload)
    if (type >= n.MSG_CHANNEL_OPEN_CONFIRMATION && type <= n.MSG_CHANNEL_FAILURE) {
      return this.#channels.receive(type, payload)
    }
    if (type === n.MSG_REQUEST_SUCCESS) return this.#sent.answered(type, Uint8Array.from(payload.subarray(1)))
    if (type === n.MSG_REQUEST_FAILURE) return this.#sent.answered(type, undefined)
    this.#transport.unimplemented(sequence)
  }

  /** Bytes have arrived: the server is alive. */
  heard(): void {
    this.#keepalive.heard()
  }

  /** The transport accepts output again. */
  pump(): void {
    this.#channels.pump()
  }

  openChannel(open: ChannelOpen, attach: (channel: ClientChannel) => ClientChannelHandler): Promise<ClientChannel> {
    return this.#channels.openTowardsPeer(open.type, encodeOpenFields(open), attach)
  }

  async listen(request: ListenRequest): Promise<number | undefined> {
    const answer = await this.#globalRequest(request.type, listenFields(request))
    if (!answer) return undefined
    if (request.type !== 'tcpip-forward' || request.port !== 0) return request.port
    return new WireReader(answer).uint32('bound port')
  }

  async unlisten(request: ListenRequest): Promise<boolean> {
    return (await this.#globalRequest(`cancel-${request.type}`, listenFields(request))) !== undefined
  }

  /** The connection has ended. */
  abort(cause: CloseCause): void {
    this.#keepalive.stop()
    this.#sent.end(new Error(`the connection has ended: ${cause.reason}`))
    this.#channels.abort(cause)
  }

  #globalRequest(name: string, fields = new Uint8Array(0)): Promise<GlobalAnswer> {
    const answer = this.#sent.next()
    const request = new WireWriter(64).byte(n.MSG_GLOBAL_REQUEST).string(name).boolean(true).bytes(fields)
    this.#transport.send(request.done())
    return answer
  }

  /** Servers announce host keys and ask whether we are there; nothing else is granted. */
  #serverRequest(payload: Buffer): void {
    const reader = new WireReader(payload, 1)
    reader.text('request name', 256)
    if (reader.boolean('want reply')) this.#transport.send(Uint8Array.of(n.MSG_REQUEST_FAILURE))
  }
}

/** RFC 4254 section 7.1; OpenSSH's PROTOCOL section 2.4. */
function listenFields({ type, address, port }: ListenRequest): Uint8Array<ArrayBuffer> {
  const writer = new WireWriter(64).string(address)
  return (type === 'tcpip-forward' ? writer.uint32(port) : writer).done()
}
