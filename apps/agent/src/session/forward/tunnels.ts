// Handles `http` streams: TCP connections of HTTP tunnels, as seen from the device. They belong to no user: the server
// has authorized the tunnel, and addresses are literal, so that no name is resolved here.
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import type { Clock } from '@bowline/base/clock'
import { HttpOpen } from '@bowline/link/stream-messages'
import type { Member } from '../../login/logins.ts'
import type { Log } from '../../log.ts'
import { PatientSocket } from './patient-socket.ts'
import { failed, SocketStream } from './socket-stream.ts'

const CONNECT_TIMEOUT_MS = 10_000

export interface TunnelsParts {
  readonly clock: Clock
  readonly log: Log
}

export class Tunnels {
  /** Connections of this link. */
  readonly members = new Set<Member>()
  readonly #parts: TunnelsParts

  constructor(parts: TunnelsParts) {
    this.#parts = parts
  }

  open(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const parsed = HttpOpen.safeParse(header)
    if (!parsed.success) return failed('protocol', 'the tunnel request is not valid')
    const { clock, log } = this.#parts
    const { host, port } = parsed.data
    const socket = new PatientSocket({ allowHalfOpen: true })
    socket.setNoDelay().connect(port, host)
    const joined = new SocketStream(socket, this, () => stream)
    this.members.add(joined)
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('no connection within 10 seconds')))
    socket.on('connect', () => {
      cancel()
      stream.control({ type: 'connected' })
    })
    socket.on('error', ({ message }) => log.debug('tunnel.failed', { host, port, error: message }))
    socket.on('close', cancel)
    return joined
  }
}
