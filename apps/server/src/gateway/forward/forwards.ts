// Forwarding from the device back to the client: ports and sockets (ssh -R), the agent (-A), displays (-X). Everything
// ends with the connection; the namespace can disable it.
import type { ListenOpen } from '@bowline/link/stream-messages'
import type { ListenRequest, SessionRequest, SshConnection } from '@bowline/ssh/api'
import { NO_FIELDS, forwardedStreamlocal, forwardedTcpip, forwardedX11 } from '@bowline/ssh/open-fields'
import type { Clock } from '@bowline/base/clock'
import type { ForwardingPolicy } from '../../devices/presence.ts'
import type { ClientChannel } from './accept-channel.ts'
import { withReason } from '../record/device-text.ts'
import { type Listener, NotListening, openListener } from './listener.ts'
import type { AcceptedLogin } from '../login/accepted-login.ts'
import type { ReverseStreams } from '../links/reverse-streams.ts'
import { TEXTS } from '../record/texts.ts'

/** Refusal texts by policy; undefined where forwarding is allowed. */
const REFUSALS: Readonly<Record<ForwardingPolicy, string | undefined>> = {
  allowed: undefined,
  off: TEXTS.forwardingOff,
  unrecorded: TEXTS.forwardingUnrecorded,
}
/** Limit of listeners of all kinds per connection. */
export const MAX_LISTENERS = 64
const TOO_MANY = TEXTS.tooManyListeners(MAX_LISTENERS)

export interface ForwardsDeps {
  readonly reverse: ReverseStreams
  readonly clock: Clock
}

type X11Request = Extract<SessionRequest, { type: 'x11-req' }>

/** A refusal returns undefined or false; its reason is sent to the client with `explain`. */
export interface Forwards {
  /** Pending requests. Processes start after them, as under sshd. */
  readonly opening: ReadonlySet<Promise<unknown>>
  /** @returns the port bound, 0 for a unix socket */
  listen(request: ListenRequest): Promise<number | undefined>
  unlisten(request: ListenRequest): boolean
  /** The listener of the client's agent; one for all sessions of the connection. */
  agent(): Promise<Listener | undefined>
  /** Opens a separate display for each session. */
  x11(request: X11Request): Promise<Listener | undefined>
}

/** Reason why a login may not forward; undefined when it may. */
export function forwardingRefusal({ forwarding }: Pick<AcceptedLogin, 'forwarding'>): string | undefined {
  return REFUSALS[forwarding.policy]
}

export function createForwards(deps: ForwardsDeps, connection: SshConnection, login: AcceptedLogin): Forwards {
  let count = 0
  const opening = new Set<Promise<unknown>>()
  const listeners = new Map<string, Listener>()
  let agent: Promise<Listener | undefined> | undefined

  async function open(
    what: string,
    at: ListenOpen['at'],
    channel: (origin: { address: string; port: number }, port: number) => ClientChannel,
    ended: () => void = () => undefined,
  ): Promise<Listener | undefined> {
    const refusal = forwardingRefusal(login) ?? (count >= MAX_LISTENERS && TOO_MANY)
    if (refusal) {
      connection.explain(refusal)
      return undefined
    }
    login.forwarding.used = true
    count += 1
    const release = (): void => {
      count -= 1
      ended()
    }
    // Nothing is opened before the row has the accepted login.
    const listener = login.recorded.then(
      () => openListener({ ...deps, connection, login, at, channel, ended: release }),
      (error: unknown) => {
        release()
        throw error
      },
    )
    opening.add(listener)
    try {
      return await listener
    } catch (error) {
      const happened = TEXTS.notForwarded(what)
      const hasReason = error instanceof NotListening
      connection.explain(hasReason ? withReason(happened, error.cause, login.target.name) : `${happened}.`)
      return undefined
    } finally {
      opening.delete(listener)
    }
  }

  return {
    opening,
    async listen(request) {
      const { type, address } = request
      login.record.note(type === 'tcpip-forward' ? 'tcpip-forward' : 'streamlocal-forward', 0)
      let key = keyOf(request, request.port)
      const forget = (): void => void listeners.delete(key)
      const listener =
        type === 'tcpip-forward'
          ? await open(
              `port ${request.port}`,
              { type: 'tcp', port: request.port },
              (origin, port) => ({ type: 'forwarded-tcpip', fields: forwardedTcpip(address, port, origin) }),
              forget,
            )
          : await open(
              `the socket ${address}`,
              { type: 'unix', path: address },
              () => ({ type: 'forwarded-streamlocal@openssh.com', fields: forwardedStreamlocal(address) }),
              forget,
            )
      if (!listener) return undefined
      key = keyOf(request, listener.port)
      listeners.set(key, listener)
      return listener.port
    },
    unlisten(request) {
      const listener = listeners.get(keyOf(request, request.port))
      listener?.close()
      return listener !== undefined
    },
    agent() {
      login.record.note('auth-agent-req', 0)
      agent ??= open(
        'the agent',
        { type: 'agent' },
        () => ({ type: 'auth-agent@openssh.com', fields: NO_FIELDS }),
        () => (agent = undefined),
      )
      return agent
    },
    x11({ single, protocol, cookie, screen }) {
      login.record.note('x11-req', 0)
      const at = { type: 'x11', single, protocol, cookie, screen } as const
      return open('the display', at, (origin) => ({ type: 'x11', fields: forwardedX11(origin) }))
    },
  }
}

function keyOf({ type, address }: ListenRequest, port: number): string {
  return `${type} ${port} ${address}`
}
