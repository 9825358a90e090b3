// Handles `dial` streams: a TCP or unix socket as seen from the device. TCP has no users. A unix socket is opened with
// the user's own permissions, and its server sees the user as the peer, never the agent.
import { connect, type Socket } from 'node:net'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import type { Clock } from '@bowline/base/clock'
import { DialOpen } from '@bowline/link/stream-messages'
import type { Login, Logins } from '../../login/logins.ts'
import type { Log } from '../../log.ts'
import { actingAs } from '../../native/identity.ts'
import { forwardingProblem } from './forwarding-problem.ts'
import { failed, SocketStream } from './socket-stream.ts'

const CONNECT_TIMEOUT_MS = 15_000

export interface DialsParts {
  readonly logins: Logins
  readonly clock: Clock
  readonly log: Log
}

export class Dials {
  readonly #parts: DialsParts

  constructor(parts: DialsParts) {
    this.#parts = parts
  }

  open(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const parsed = DialOpen.safeParse(header)
    if (!parsed.success) return failed('protocol', 'the connection request is not valid')
    const login = this.#parts.logins.find(parsed.data.login)
    const problem = forwardingProblem(login)
    if (problem !== undefined || !login) return failed('refused', problem ?? '')
    try {
      return this.#join(connectTarget(parsed.data, login), login, stream)
    } catch (error) {
      return failed('connect-failed', error instanceof Error ? error.message : String(error))
    }
  }

  #join(socket: Socket, login: Login, stream: LinkStream): StreamHandler {
    const { clock, log } = this.#parts
    const joined = new SocketStream(socket, login, () => stream)
    login.members.add(joined)
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('no connection within 15 seconds')))
    let connected = false
    socket.on('connect', () => {
      connected = true
      cancel()
      stream.control({ type: 'connected' })
    })
    socket.on('error', ({ message }) => {
      if (!connected) log.debug('forward.dial-failed', { session: login.session, error: message })
    })
    socket.on('close', cancel)
    return joined
  }
}

function connectTarget({ target }: DialOpen, login: Login): Socket {
  if ('host' in target) return connect({ host: target.host, port: target.port, allowHalfOpen: true, noDelay: true })
  const { path } = target
  if (!path.startsWith('/') || path.includes('\0')) throw new Error('the path of a socket must be absolute')
  // connect(2) happens inside this call.
  return actingAs(login.account, () => connect({ path, allowHalfOpen: true }))
}
