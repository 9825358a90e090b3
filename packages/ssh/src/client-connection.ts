// One connection to a server: owns the socket; joins transport, authentication and the connection service; the only
// place where the connection ends. All input from the network enters through `#guard`.
import type { Duplex } from 'node:stream'
import { readSocket } from '@bowline/base/bytes/read-socket'
import type { Clock } from '@bowline/base/clock'
import type { ChannelOpen, CloseCause, CloseReasons, ListenRequest, PeerAddress, SshLimits } from './api.ts'
import { ClientAuthenticator } from './auth/client-authenticator.ts'
import type {
  AuthOutcome,
  ClientChannel,
  ClientChannelHandler,
  ClientCredential,
  ClientHandler,
  SshClientConnection,
} from './client-api.ts'
import { ClientService } from './connection/client-service.ts'
import { notify } from './embedder.ts'
import { Fault, faultOf, protocolFault } from './fault.ts'
import type { ClientRole } from './transport/role.ts'
import { Transport } from './transport/transport.ts'
import * as n from './wire/numbers.ts'
import { WireReader } from './wire/reader.ts'
import { WireWriter } from './wire/writer.ts'

/** How long a finished connection may take to flush its last bytes to the network. */
const FLUSH_TIMEOUT_MS = 2_000
const NO_SERVICE = 'nobody has signed in'

export interface ClientParts {
  readonly software: string
  readonly role: ClientRole
  readonly limits: SshLimits
  readonly clock: Clock
}

export class ClientConnection implements SshClientConnection {
  readonly peer: PeerAddress
  readonly ready: Promise<void>
  readonly #socket: Duplex
  readonly #parts: ClientParts
  readonly #handler: ClientHandler
  readonly #transport: Transport
  readonly #becomeReady: () => void
  readonly #neverReady: (error: Error) => void
  #serviceAsked = false
  /** Set when the server has accepted the request for authentication. */
  #authenticator: ClientAuthenticator | undefined
  /** Set when the server has accepted a credential. */
  #service: ClientService | undefined
  #linger: (() => void) | undefined
  /** Why the embedding program disconnects, while output is still being flushed. */
  #disconnectCause: CloseCause | undefined
  #cause: CloseCause | undefined
  #closedTold = false

  constructor(socket: Duplex, peer: PeerAddress, parts: ClientParts, handler: ClientHandler) {
    this.#socket = socket
    this.peer = peer
    this.#parts = parts
    this.#handler = handler
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // The end of the connection is told by `closed`, too.
    promise.catch(() => undefined)
    this.ready = promise
    this.#becomeReady = resolve
    this.#neverReady = reject
    this.#transport = new Transport(socket, parts, {
      message: (type, payload, sequence) => this.#message(type, payload, sequence),
      drain: () => this.#guard(() => this.#drain()),
      fail: (fault) => this.#fail(fault),
    })
  }

  get serverIdent(): string {
    return this.#transport.peerIdent
  }

  get hostKey(): Uint8Array | undefined {
    return this.#transport.hostKey
  }

  get algorithms() {
    const agreed = this.#transport.agreed
    return agreed && { kex: agreed.kex, cipherIn: agreed.cipherIn, cipherOut: agreed.cipherOut }
  }

  get bytesIn(): number {
    return this.#transport.bytesIn
  }

  get bytesOut(): number {
    return this.#transport.bytesOut
  }

  /** Takes ownership of the socket. */
  start(): void {
    const socket = this.#socket
    readSocket(socket, (chunk) => {
      this.#service?.heard()
      this.#guard(() => this.#transport.receive(chunk))
    })
    socket.on('error', () => this.#lost('socket-error', 'The network connection failed.'))
    socket.on('end', () => this.#lost('socket-closed', 'The server closed the network connection.'))
    socket.on('close', () => {
      this.#lost('socket-closed', 'The network connection was closed.')
      this.#notifyClosed()
    })
    if (socket.destroyed) {
      // Its `close` event may have fired already.
      queueMicrotask(() => {
        this.#lost('socket-closed', 'The network connection was closed.')
        this.#notifyClosed()
      })
    }
    this.#guard(() => this.#transport.start())
  }

  async authenticate(user: string, credential: ClientCredential): Promise<AuthOutcome> {
    await this.ready
    if (this.#service || !this.#authenticator) throw new Error('the connection is signed in')
    return this.#authenticator.authenticate(user, credential)
  }

  async openChannel(
    open: ChannelOpen,
    attach: (channel: ClientChannel) => ClientChannelHandler,
  ): Promise<ClientChannel> {
    if (!this.#service) throw new Error(NO_SERVICE)
    return this.#service.openChannel(open, attach)
  }

  async listen(request: ListenRequest): Promise<number | undefined> {
    if (!this.#service) throw new Error(NO_SERVICE)
    return this.#service.listen(request)
  }

  async unlisten(request: ListenRequest): Promise<boolean> {
    return this.#service?.unlisten(request) ?? false
  }

  disconnect(cause: CloseCause): void {
    if (this.#cause || this.#disconnectCause) return
    this.#disconnectCause = cause
    this.#linger = this.#parts.clock.after(FLUSH_TIMEOUT_MS, () => this.#end())
    this.#endWhenSent()
  }

  /** The transport can send: after the first key exchange it asks for authentication. */
  #drain(): void {
    if (!this.#serviceAsked && this.#transport.sessionId) {
      this.#serviceAsked = true
      this.#transport.send(new WireWriter(32).byte(n.MSG_SERVICE_REQUEST).string('ssh-userauth').done())
    }
    this.#service?.pump()
  }

  #message(type: number, payload: Buffer, sequence: number): void {
    if (type === n.MSG_SERVICE_ACCEPT) return this.#serviceAccepted(payload)
    if (type < n.MSG_GLOBAL_REQUEST) {
      // A banner or a late answer after success has no one to hear it.
      if (this.#service) return
      if (!this.#authenticator) throw protocolFault('unexpected-message', 'The service has not been accepted.')
      return this.#authenticator.message(type, payload)
    }
    if (!this.#service) {
      throw protocolFault('unexpected-message', `Message ${type} is not allowed before authentication.`)
    }
    this.#service.message(type, payload, sequence)
  }

  #serviceAccepted(payload: Buffer): void {
    const reader = new WireReader(payload, 1)
    const { sessionId } = this.#transport
    const isAskedFor = reader.text('service name', 64) === 'ssh-userauth' && this.#serviceAsked
    if (!isAskedFor || !sessionId || this.#authenticator) {
      throw protocolFault('unexpected-message', 'The server accepts a service that was not requested.')
    }
    const userSignatureAlgorithms = () => this.#transport.userSignatureAlgorithms
    this.#authenticator = new ClientAuthenticator(
      { sessionId, userSignatureAlgorithms },
      {
        banner: (text) => notify(() => this.#handler.banner?.(text)),
        accepted: () => this.#beginService(),
        send: (message) => this.#transport.send(message),
        fail: (fault) => this.#fail(fault),
      },
    )
    this.#becomeReady()
  }

  #beginService(): void {
    this.#transport.signedIn()
    this.#service = new ClientService({
      connection: this,
      side: 'client',
      handler: this.#handler,
      options: this.#parts,
      transport: this.#transport,
      soon: (run) => setImmediate(() => this.#guard(run)),
      fail: (fault) => this.#fail(fault),
    })
  }

  /** Runs code that handles input; whatever it throws ends this connection and nothing else. */
  #guard(run: () => void): void {
    if (this.#cause) return
    try {
      run()
    } catch (error) {
      this.#fail(faultOf(error))
    }
    this.#endWhenSent()
  }

  #lost(reason: CloseReasons['peer'], message: string): void {
    this.#fail(new Fault({ by: 'peer', reason, message }, 0))
  }

  #endWhenSent(): void {
    const sent = !this.#service || (this.#service.idle && this.#transport.writable)
    if (this.#disconnectCause && sent) this.#end()
  }

  #end(): void {
    const cause = this.#disconnectCause
    if (cause) this.#fail(new Fault(cause, n.DISCONNECT_BY_APPLICATION))
  }

  /** Ends the connection: the only place that does. */
  #fail(fault: Fault): void {
    if (this.#cause) return
    this.#cause = fault.closeCause
    this.#linger?.()
    const error = new Error(fault.message, { cause: fault.closeCause })
    this.#neverReady(error)
    this.#authenticator?.end(error)
    this.#transport.close(fault.code, fault.message)
    this.#service?.abort(fault.closeCause)
    if (this.#socket.destroyed) return
    this.#linger = this.#parts.clock.after(FLUSH_TIMEOUT_MS, () => this.#socket.destroy())
    this.#socket.end()
    // Input is ignored from here on, but must be drained for the socket to notice that the server has gone.
    this.#socket.resume()
  }

  #notifyClosed(): void {
    this.#linger?.()
    const cause = this.#cause
    if (this.#closedTold || !cause) return
    this.#closedTold = true
    notify(() => this.#handler.closed(cause))
  }
}
