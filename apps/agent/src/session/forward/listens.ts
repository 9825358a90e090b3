// Handles `listen` streams: sockets that the device listens on for a user, and their incoming connections.
import type { Socket } from 'node:net'
import type { Link, LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { ListenOpen } from '@bowline/link/stream-messages'
import type { Login, Logins, Member, Offer } from '../../login/logins.ts'
import type { Log } from '../../log.ts'
import { listenForAgent } from './agent-socket.ts'
import { findTools } from '../become.ts'
import { listenForX11 } from './display.ts'
import { forwardingProblem } from './forwarding-problem.ts'
import { type Accept, type Listening, listenOnLoopback, listenOnPath } from './listening.ts'
import { failed, SocketStream } from './socket-stream.ts'

/** Limit per login. The platform has a smaller limit; this one is a backstop against a faulty platform. */
const MAX_LISTENERS = 256

export interface ListensParts {
  readonly logins: Logins
  readonly log: Log
  /** The link on which connections are handed over. */
  link(): Link | undefined
}

export class Listens {
  readonly #parts: ListensParts
  readonly #tools = findTools()

  constructor(parts: ListensParts) {
    this.#parts = parts
  }

  open(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const parsed = ListenOpen.safeParse(header)
    if (!parsed.success) return failed('protocol', 'the request to listen is not valid')
    const login = this.#parts.logins.find(parsed.data.login)
    const problem = forwardingProblem(login)
    if (problem !== undefined || !login) return failed('refused', problem ?? '')
    if (login.listeners.size >= MAX_LISTENERS) return failed('refused', 'too many listeners in this login')
    const listener = new Listener(stream, login)
    void this.#start(listener, parsed.data.at, login, stream)
    return listener
  }

  async #start(listener: Listener, at: ListenOpen['at'], login: Login, stream: LinkStream): Promise<void> {
    const { log } = this.#parts
    const accept: Accept = (socket) => this.#accept(socket, login, stream, listener)
    const fields = { session: login.session, user: login.account.name, what: at.type }
    try {
      if (at.type === 'x11' && at.single) listener.only = 1
      listener.opened(await this.#listen(at, login, accept))
      log.info('forward.listening', { ...fields, ...('path' in at ? { path: at.path } : {}) })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      log.warn('forward.listen-failed', { ...fields, error: message })
      listener.end(failed('listen-failed', message))
    }
  }

  async #listen(at: ListenOpen['at'], login: Login, accept: Accept): Promise<Offered> {
    const { account } = login
    switch (at.type) {
      case 'tcp':
        return { listening: await listenOnLoopback(account, at.port, accept) }
      case 'unix':
        return { listening: await listenOnPath(account, at.path, accept) }
      case 'agent': {
        const listening = await listenForAgent(account, accept)
        return { listening, offer: { variable: ['SSH_AUTH_SOCK', listening.path] } }
      }
      case 'x11': {
        const listening = await listenForX11(account, at, this.#tools, accept)
        return { listening, offer: { variable: ['DISPLAY', listening.name], cookie: `${at.protocol} ${at.cookie}` } }
      }
    }
  }

  #accept(socket: Socket, login: Login, listen: LinkStream, listener: Listener): void {
    socket.on('error', () => undefined)
    const link = this.#parts.link()
    if (!link || forwardingProblem(login) !== undefined || !listener.takes()) return void socket.destroy()
    const origin = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 }
    const header = { listen: listen.id, origin }
    login.members.add(new SocketStream(socket, login, (handler) => link.open('accept', header, handler)))
  }
}

interface Offered {
  readonly listening: Listening
  /** For processes that use it. */
  readonly offer?: Offer
}

/** One `listen` stream. */
class Listener implements StreamHandler, Member {
  readonly #stream: LinkStream
  readonly #login: Login
  #offered: Offered | undefined
  #ended = false
  /** Connections that it may still accept. */
  only = Number.POSITIVE_INFINITY

  constructor(stream: LinkStream, login: Login) {
    this.#stream = stream
    this.#login = login
    login.members.add(this)
    login.listeners.set(stream.id, undefined)
  }

  opened(offered: Offered): void {
    if (this.#ended) return offered.listening.close()
    this.#offered = offered
    this.#login.listeners.set(this.#stream.id, offered.offer)
    this.#stream.control({ type: 'listening', port: offered.listening.port })
  }

  /** Whether another connection is accepted; stops listening after the last one. */
  takes(): boolean {
    this.only -= 1
    if (this.only === 0) this.#offered?.listening.close()
    return this.only >= 0
  }

  data(bytes: Uint8Array): void {
    this.#stream.consumed(bytes.length)
  }

  closed(): void {
    if (this.#ended) return
    this.#ended = true
    this.#login.members.delete(this)
    this.#login.listeners.delete(this.#stream.id)
    this.#offered?.listening.close()
  }

  end(cause: LinkCause): void {
    this.#stream.close(cause, 'drop')
    this.closed()
  }
}
