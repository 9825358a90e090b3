// Listeners that people ask for on a bridged device: those of `-R`, which the device's SSH server holds (RFC 4254 section
// 7.1), their displays (section 6.3), and their authentication agent, which it needs no request for.
import type { Link, LinkStream, StreamHandler } from '@bowline/link/api'
import type { AcceptOpen, ListenOpen } from '@bowline/link/stream-messages'
import {
  type ChannelDecision,
  type ListenRequest,
  OPEN_CONNECT_FAILED,
  OPEN_PROHIBITED,
  type SshChannel,
} from '@bowline/ssh/api'
import type { ServerChannelOpen, SshClientConnection } from '@bowline/ssh/client-api'
import { createFlow } from '../../forward/pipe.ts'
import { Display } from './display.ts'

const NOT_ASKED: ChannelDecision = {
  accept: false,
  code: OPEN_PROHIBITED,
  message: 'nobody has asked for such a channel',
}

/** The listeners of one login. */
export class Listeners {
  readonly #link: () => Pick<Link, 'open'> | undefined
  /** The `listen` streams, by what the device's server opens channels with. */
  readonly #streams = new Map<string, LinkStream>()
  /** Displays by id of their `listen` stream, the newest last. */
  readonly #displays = new Map<number, { readonly display: Display; readonly stream: LinkStream }>()
  /** Requests that the server is answering; none of them rejects. */
  readonly #pending = new Set<Promise<unknown>>()

  /** @param link the device's end of its link */
  constructor(link: () => Pick<Link, 'open'> | undefined) {
    this.#link = link
  }

  /** True while the person lends their authentication agent. */
  get hasAgent(): boolean {
    return this.#streams.has('agent')
  }

  /** Takes channels for the person's authentication agent. @param ended the stream has ended */
  lendAgent(stream: LinkStream, ended: () => void): StreamHandler {
    this.#streams.set('agent', stream)
    stream.control({ type: 'listening', port: 0 })
    return holding(stream, () => {
      this.#streams.delete('agent')
      ended()
    })
  }

  /**
   * Has the device's server make a display for the session that will refer to the stream.
   * @param refuse closes the stream when the server does not
   * @param ended the stream has ended
   */
  display(
    client: SshClientConnection,
    at: Extract<ListenOpen['at'], { type: 'x11' }>,
    stream: LinkStream,
    refuse: () => void,
    ended: () => void,
  ): StreamHandler {
    let isOver = false
    Display.open(client, at)
      .then((display) => {
        if (isOver) return display?.drop()
        if (!display) return refuse()
        this.#displays.set(stream.id, { display, stream })
        stream.control({ type: 'listening', port: 0 })
      })
      .catch(() => isOver || refuse())
    return holding(stream, () => {
      isOver = true
      this.#displays.get(stream.id)?.display.drop()
      this.#displays.delete(stream.id)
      ended()
    })
  }

  /** The display that a session refers to. @param id of its `listen` stream */
  displayOf(id: number | undefined): Display | undefined {
    return id === undefined ? undefined : this.#displays.get(id)?.display
  }

  /**
   * Has the device's server listen.
   * @param refuse closes the stream when the server does not
   * @param ended the stream has ended
   */
  listen(
    client: SshClientConnection,
    at: Extract<ListenOpen['at'], { type: 'tcp' | 'unix' }>,
    stream: LinkStream,
    refuse: () => void,
    ended: () => void,
  ): StreamHandler {
    const request: ListenRequest =
      at.type === 'tcp'
        ? // Both loopback addresses, as the agent does.
          { type: 'tcpip-forward', address: 'localhost', port: at.port }
        : { type: 'streamlocal-forward@openssh.com', address: at.path, port: 0 }
    let isOver = false
    let release = (): void => undefined
    const answered = client
      .listen(request)
      .then((port) => {
        if (port === undefined) return void (isOver || refuse())
        const bound = { ...request, port: at.type === 'tcp' ? port : 0 }
        const key = at.type === 'tcp' ? `port ${port}` : `path ${at.path}`
        release = () => {
          this.#streams.delete(key)
          client.unlisten(bound).catch(() => undefined)
        }
        if (isOver) return release()
        this.#streams.set(key, stream)
        stream.control({ type: 'listening', port: bound.port })
      })
      .catch(() => isOver || refuse())
    this.#pending.add(answered)
    void answered.then(() => this.#pending.delete(answered))
    return holding(stream, () => {
      isOver = true
      release()
      ended()
    })
  }

  /** A connection has arrived at the device. */
  open(request: ServerChannelOpen): Promise<ChannelDecision> {
    const origin = { address: '', port: 0 }
    switch (request.type) {
      case 'forwarded-tcpip':
        return this.#accept(`port ${request.port}`, {
          address: request.originHost.slice(0, 64),
          port: request.originPort,
        })
      case 'forwarded-streamlocal@openssh.com':
        return this.#accept(`path ${request.path}`, origin)
      case 'auth-agent@openssh.com':
        return this.#accept('agent', origin)
      case 'x11':
        return this.#accept('x11', { address: request.originHost.slice(0, 64), port: request.originPort })
      default:
        return Promise.resolve(NOT_ASKED)
    }
  }

  async #accept(key: string, origin: AcceptOpen['origin']): Promise<ChannelDecision> {
    // A connection can come in one piece with the answer that there is a listener.
    await Promise.all(this.#pending)
    // The server does not say of which session a display is; the client has one cookie for all of them.
    const listener = key === 'x11' ? [...this.#displays.values()].at(-1)?.stream : this.#streams.get(key)
    const link = this.#link()
    if (!listener || !link) return NOT_ASKED
    return new Promise((resolve) => {
      let channel: SshChannel | undefined
      link.open('accept', { listen: listener.id, origin }, (stream) => {
        const input = createFlow(
          (bytes) => channel?.write(bytes) ?? true,
          (count) => stream.consumed(count),
          () => channel?.queuedBytes ?? 0,
        )
        const output = createFlow(
          (bytes) => stream.write(bytes),
          (count) => channel?.consumed(count),
          () => stream.queuedBytes,
        )
        const attach = (opened: SshChannel) => {
          channel = opened
          return {
            data: (bytes: Uint8Array) => output.pass(bytes, 0),
            drain: () => input.drained(),
            eof: () => stream.eof(),
            closed: () => stream.close(),
          }
        }
        return {
          control: () => resolve({ accept: true, attach }),
          data: (bytes) => input.pass(bytes, 0),
          drain: () => output.drained(),
          eof: () => channel?.eof(),
          closed(cause) {
            channel?.close()
            resolve({ accept: false, code: OPEN_CONNECT_FAILED, message: cause.message })
          },
        }
      })
    })
  }
}

/** A `listen` stream, which carries no bytes. */
const holding = (stream: LinkStream, closed: () => void): StreamHandler => ({
  data: (bytes) => stream.consumed(bytes.length),
  closed,
})
