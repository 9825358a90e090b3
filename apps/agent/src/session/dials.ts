// Answers `dial` streams: a TCP or unix socket as the device sees it. TCP knows no users. A unix socket is opened with
// the person's own rights, and its server sees the person as the peer, never the agent.
import { connect, type Socket } from 'node:net'
import { basename } from 'node:path'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import type { LinkClock } from '@bowline/link/clock'
import { DialOpen } from '@bowline/link/streams'
import { type Login, type Logins, MAX_MEMBERS } from '../login/logins.ts'
import type { Log } from '../log.ts'
import { actingAs } from '../native/identity.ts'

const CONNECT_MS = 15_000
/** Accounts with these shells are for services; they get no way into the device. */
const SERVICE_SHELLS = new Set(['nologin', 'false'])

export interface DialsParts {
  readonly logins: Logins
  readonly clock: LinkClock
  readonly log: Log
}

export class Dials {
  readonly #parts: DialsParts

  constructor(parts: DialsParts) {
    this.#parts = parts
  }

  open(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const parsed = DialOpen.safeParse(header)
    if (!parsed.success) return refusal('protocol', 'the connection request is not valid')
    const login = this.#parts.logins.find(parsed.data.login)
    if (!login) return refusal('refused', 'the login has ended')
    if (login.members.size >= MAX_MEMBERS) return refusal('refused', 'too many connections in this login')
    if (SERVICE_SHELLS.has(basename(login.account.shell))) {
      return refusal('refused', `user ${login.account.name} may not log in`)
    }
    try {
      const socket = connectTarget(parsed.data, login)
      return new Dial(stream, socket, login, this.#parts)
    } catch (error) {
      return refusal('connect-failed', error instanceof Error ? error.message : String(error))
    }
  }
}

function connectTarget({ target }: DialOpen, login: Login): Socket {
  if ('host' in target) return connect({ host: target.host, port: target.port, allowHalfOpen: true, noDelay: true })
  const { path } = target
  if (!path.startsWith('/') || path.includes('\0')) throw new Error('the path of a socket must be absolute')
  // connect(2) happens inside this call.
  return actingAs(login.account, () => connect({ path, allowHalfOpen: true }))
}

/** One connection; half-closes travel both ways. */
class Dial implements StreamHandler {
  readonly #stream: LinkStream
  readonly #socket: Socket
  readonly #login: Login
  #failure: string | undefined
  #connected = false
  #closed = false
  readonly #cancelTimer: () => void

  constructor(stream: LinkStream, socket: Socket, login: Login, { clock, log }: DialsParts) {
    this.#stream = stream
    this.#socket = socket
    this.#login = login
    login.members.add(this)
    this.#cancelTimer = clock.after(CONNECT_MS, () => socket.destroy(new Error('no connection within 15 seconds')))
    socket.on('connect', () => {
      this.#connected = true
      this.#cancelTimer()
      stream.control({ type: 'connected' })
    })
    socket.on('data', (bytes: Buffer) => {
      if (!stream.write(bytes)) socket.pause()
    })
    socket.on('end', () => stream.eof())
    socket.on('error', (error) => {
      this.#failure = error.message
      if (!this.#connected)
        log.debug('dial-failed', 'a connection failed', { session: login.session, error: error.message })
    })
    socket.on('close', () => this.#over())
  }

  data(bytes: Uint8Array): void {
    if (this.#socket.destroyed) this.#stream.consumed(bytes.length)
    else this.#socket.write(bytes, () => this.#stream.consumed(bytes.length))
  }

  drain(): void {
    this.#socket.resume()
  }

  eof(): void {
    this.#socket.end()
  }

  closed(): void {
    this.#closed = true
    this.#socket.destroy()
  }

  /** Ends the connection from this side. */
  end(cause: LinkCause): void {
    this.#stream.close(cause, 'drop')
    this.closed()
  }

  #over(): void {
    this.#cancelTimer()
    this.#login.members.delete(this)
    if (this.#closed) return
    if (this.#failure === undefined) this.#stream.close()
    else this.#stream.close(refusal(this.#connected ? 'reset' : 'connect-failed', this.#failure))
  }
}

function refusal(reason: string, message: string): LinkCause {
  return { by: 'agent', reason, message }
}
