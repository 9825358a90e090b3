// A listener on the device, requested by the client: a `listen` stream that stays open until the client, the login or the
// device closes it.
import type { LinkCause, StreamHandler } from '@bowline/link/api'
import { type AcceptOpen, ListenEvent, type ListenOpen } from '@bowline/link/stream-messages'
import type { SshConnection } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import { type ClientChannel, acceptChannel } from './accept-channel.ts'
import { openForwardLog } from '../record/forward-log.ts'
import type { AcceptedLogin } from '../login/accepted-login.ts'
import type { ReverseStreams } from '../links/reverse-streams.ts'

export interface Listener {
  /** Id of the `listen` stream, by which other streams refer to it. */
  readonly id: number
  /** Bound port; 0 for unix sockets. */
  readonly port: number
  close(): void
}

export interface ListenerParts {
  readonly reverse: ReverseStreams
  readonly clock: Clock
  readonly connection: SshConnection
  readonly login: AcceptedLogin
  readonly at: ListenOpen['at']
  /** Describes the channel for a connection accepted on `port`. */
  channel(origin: AcceptOpen['origin'], port: number): ClientChannel
  /** The listener has closed, or never opened. */
  ended(): void
}

/** Timeout of the device's reply; the listener then counts as refused. */
const ANSWER_MS = 15_000

/** The device refused to listen or stopped. */
export class NotListening extends Error {
  override readonly cause: LinkCause
  constructor(cause: LinkCause) {
    super(cause.message)
    this.cause = cause
  }
}

/** @throws {NotListening} with the reason */
export function openListener(parts: ListenerParts): Promise<Listener> {
  const { reverse, clock, connection, login, at } = parts
  return new Promise((resolve, reject) => {
    let port: number | undefined
    let markReady = (): void => undefined
    const ready = new Promise<void>((resolve) => (markReady = resolve))
    const handler: StreamHandler = {
      data: () => stream.close({ by: 'gateway', reason: 'protocol', message: 'A listen stream carries no bytes.' }),
      control(message) {
        const event = ListenEvent.safeParse(message)
        if (!event.success || port !== undefined) return
        port = event.data.port
        cancel()
        resolve({ id: stream.id, port, close: () => stream.close() })
        // Connections may have arrived already: the client must learn the port first.
        setImmediate(markReady)
      },
      closed(cause) {
        cancel()
        forget()
        parts.ended()
        reject(new NotListening(cause))
      },
    }
    const stream = login.link.open('listen', { login: login.stream.id, at }, handler)
    const cancel = clock.after(ANSWER_MS, () =>
      stream.close({ by: 'gateway', reason: 'timeout', message: 'The device does not answer.' }),
    )
    const forget = reverse.expect(login.link, stream.id, (origin, accepted) => {
      const taken = ready.then(() => parts.channel(origin, port ?? 0))
      const from = at.type === 'tcp' ? `port ${port}` : at.type === 'unix' ? at.path : at.type
      return acceptChannel(connection, taken, accepted, openForwardLog(login.record, clock, from))
    })
  })
}
