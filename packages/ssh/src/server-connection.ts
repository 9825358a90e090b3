// One accepted connection: owns the socket; joins transport, authentication and the connection service; the only place
// where a connection ends. All input from the network enters through `#guard`.
import type { Duplex } from 'node:stream'
import { readSocket } from '@bowline/base/bytes/read-socket'
import type {
  AcceptedFactor,
  ChannelHandler,
  CloseCause,
  CloseReasons,
  ConnectionHandler,
  PeerAddress,
  SshChannel,
  SshConnection,
} from './api.ts'
import { Authenticator } from './auth/authenticator.ts'
import { ConnectionService } from './connection/connection-service.ts'
import { ask, notify } from './embedder.ts'
import { Fault, faultOf, protocolFault, timeoutFault } from './fault.ts'
import { SIGNATURE_ALGORITHMS } from './keys/signature.ts'
import type { PreparedOptions } from './server-options.ts'
import type { ServerRole } from './transport/role.ts'
import { Transport } from './transport/transport.ts'
import * as n from './wire/numbers.ts'
import { WireReader } from './wire/reader.ts'
import { WireWriter } from './wire/writer.ts'

/** Requests for authentication that a client may send before it has succeeded: one for each key and question. */
const MAX_SERVICE_REQUESTS = 64
/** How long a finished connection may take to flush its last bytes to the network. */
const FLUSH_TIMEOUT_MS = 2_000

export class ServerConnection implements SshConnection {
  readonly peer: PeerAddress
  readonly #socket: Duplex
  readonly #options: PreparedOptions
  readonly #handler: ConnectionHandler
  readonly #transport: Transport
  /** Set until the client has signed in. */
  #serviceRequests = 0
  #authenticator: Authenticator | undefined
  /** Set when the client has signed in. */
  #service: ConnectionService | undefined
  #user: string | undefined
  readonly #factors: AcceptedFactor[] = []
  #grace: (() => void) | undefined
  #graceExtended = false
  #linger: (() => void) | undefined
  /** Why the embedding program disconnects, while output is still being flushed. */
  #disconnectCause: CloseCause | undefined
  #cause: CloseCause | undefined
  #closedTold = false

  constructor(socket: Duplex, peer: PeerAddress, options: PreparedOptions, handler: ConnectionHandler) {
    this.#socket = socket
    this.peer = peer
    this.#options = options
    this.#handler = handler
    const { limits, clock, hostKeys, olderHostKeys, compatibility, software } = options
    const role: ServerRole = {
      side: 'server',
      hostKeys,
      olderHostKeys,
      compatibility,
      signatureAlgorithms: SIGNATURE_ALGORITHMS,
    }
    this.#transport = new Transport(
      socket,
      { software, role, limits, clock },
      {
        message: (type, payload, sequence) => this.#message(type, payload, sequence),
        drain: () => this.#guard(() => this.#service?.pump()),
        fail: (fault) => this.#fail(fault),
      },
    )
  }

  get sessionId(): string {
    return this.#transport.sessionId?.toString('hex') ?? ''
  }

  get clientIdent(): string {
    return this.#transport.peerIdent
  }

  get user(): string | undefined {
    return this.#user
  }

  get factors(): readonly AcceptedFactor[] {
    return this.#factors
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

  get heldBytes(): number {
    return this.#service?.heldBytes ?? 0
  }

  /** Takes ownership of the socket. */
  start(): void {
    const socket = this.#socket
    readSocket(socket, (chunk) => {
      this.#service?.heard()
      this.#guard(() => this.#transport.receive(chunk))
    })
    socket.on('error', () => this.#lost('socket-error', 'The network connection failed.'))
    socket.on('end', () => this.#lost('socket-closed', 'The client closed the network connection.'))
    socket.on('close', () => {
      this.#lost('socket-closed', 'The network connection was closed.')
      this.#notifyClosed()
    })
    this.#startGrace()
    if (socket.destroyed) {
      // Its `close` event may have fired already.
      queueMicrotask(() => {
        this.#lost('socket-closed', 'The network connection was closed.')
        this.#notifyClosed()
      })
    }
    this.#guard(() => this.#transport.start())
  }

  openChannel(type: string, data: Uint8Array, attach: (channel: SshChannel) => ChannelHandler): Promise<SshChannel> {
    if (!this.#service) return Promise.reject(new Error('the client has not signed in'))
    return this.#service.openChannel(type, data, attach)
  }

  explain(message: string): void {
    if (!this.#service || this.#cause) return
    this.#transport.send(new WireWriter().byte(n.MSG_DEBUG).boolean(true).string(message).string('').done())
  }

  announce(message: string): void {
    if (!this.#cause && !this.#disconnectCause) this.#authenticator?.announce(message)
  }

  allowLogin(ms: number): void {
    if (this.#authenticator && !this.#cause) this.#startGrace(Math.max(ms, this.#options.limits.loginGraceMs))
  }

  disconnect(cause: CloseCause): void {
    if (this.#cause || this.#disconnectCause) return
    this.#disconnectCause = cause
    this.#linger = this.#options.clock.after(FLUSH_TIMEOUT_MS, () => this.#end())
    this.#endWhenSent()
  }

  #startGrace(ms = this.#options.limits.loginGraceMs): void {
    const { clock } = this.#options
    this.#grace?.()
    this.#grace = clock.after(ms, () => {
      this.#fail(timeoutFault('login-grace', 'Authentication did not finish in time.'))
    })
  }

  #message(type: number, payload: Buffer, sequence: number): void {
    if (type === n.MSG_SERVICE_REQUEST) return this.#serviceRequest(payload)
    if (type < n.MSG_GLOBAL_REQUEST) {
      // RFC 4252 section 5.1: after success, requests to authenticate are ignored.
      if (this.#service) return
      if (!this.#authenticator) throw protocolFault('unexpected-message', 'No service was requested.')
      return this.#authenticator.message(type, payload)
    }
    if (!this.#service) {
      throw protocolFault('unexpected-message', `Message ${type} is not allowed before authentication.`)
    }
    this.#service.message(type, payload, sequence)
  }

  #serviceRequest(payload: Buffer): void {
    const reader = new WireReader(payload, 1)
    const name = reader.text('service name', 64)
    reader.end('service request')
    this.#serviceRequests += 1
    if (this.#service || this.#serviceRequests > MAX_SERVICE_REQUESTS) {
      throw protocolFault('unexpected-message', 'The service was requested too often.')
    }
    if (name !== 'ssh-userauth') {
      throw protocolFault('unknown-service', 'This service is not offered.', n.DISCONNECT_SERVICE_NOT_AVAILABLE)
    }
    // Paramiko requests it before each method. What was proven and counted so far stays (RFC 4252 section 5).
    this.#authenticator ??= this.#newAuthenticator()
    this.#transport.send(new WireWriter(32).byte(n.MSG_SERVICE_ACCEPT).string(name).done())
  }

  #newAuthenticator(): Authenticator {
    const { methods, limits, certificateAuthorities, clock } = this.#options
    const { sessionId, hostKey } = this.#transport
    if (!sessionId || !hostKey) throw protocolFault('unexpected-message', 'The key exchange is not finished.')
    const proof = { sessionId, hostKey, certificateAuthorities, peerAddress: this.peer.address }
    const setup = {
      ...proof,
      epochSeconds: () => Math.floor(clock.now() / 1_000),
      methods,
      attempts: limits.authAttempts,
    }
    return new Authenticator(setup, {
      banner: (user) => ask(() => this.#handler.banner?.(this, user)),
      authenticate: async (attempt) =>
        (await ask(() => this.#handler.authenticate(this, attempt))) ?? { result: 'reject' },
      factorAccepted: (factor) => {
        this.#factors.push(factor)
        // Fetching a second factor takes time, so the first one extends the grace period, once.
        if (!this.#graceExtended) this.#startGrace()
        this.#graceExtended = true
      },
      accepting: (user, factor) => {
        this.#factors.push(factor)
        this.#user = user
        this.#grace?.()
        this.#grace = undefined
        notify(() => this.#handler.authenticated?.(this))
      },
      accepted: () => this.#beginService(sessionId),
      send: (message) => this.#transport.send(message),
      fail: (fault) => this.#fail(fault),
    })
  }

  #beginService(sessionId: Buffer): void {
    if (this.#cause) return
    this.#transport.signedIn()
    this.#service = new ConnectionService({
      connection: this,
      side: 'server',
      handler: this.#handler,
      options: this.#options,
      transport: this.#transport,
      sessionId,
      soon: (run) => setImmediate(() => this.#guard(run)),
      fail: (fault) => this.#fail(fault),
    })
    this.#authenticator = undefined
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
    this.#grace?.()
    this.#linger?.()
    this.#authenticator?.end()
    this.#transport.close(fault.code, fault.message)
    this.#service?.abort(fault.closeCause)
    if (this.#socket.destroyed) return
    this.#linger = this.#options.clock.after(FLUSH_TIMEOUT_MS, () => this.#socket.destroy())
    this.#socket.end()
    // Input is ignored from here on, but must be drained for the socket to notice that the client has gone.
    this.#socket.resume()
  }

  #notifyClosed(): void {
    this.#linger?.()
    const cause = this.#cause
    if (this.#closedTold || !cause) return
    this.#closedTold = true
    notify(() => this.#handler.closed(this, cause))
  }
}
