// Handles `engine` streams: connections of the server to the container engine of this device. Only where the operator of
// the device has named its socket: whoever controls an engine controls the machine.
import { connect } from 'node:net'
import type { LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import type { Clock } from '@bowline/base/clock'
import type { Member } from '../../login/logins.ts'
import type { Log } from '../../log.ts'
import { failed, SocketStream } from './socket-stream.ts'

const CONNECT_TIMEOUT_MS = 10_000

export interface EngineConnectionsParts {
  readonly clock: Clock
  readonly log: Log
  /** Path of the engine's socket; undefined: the engine is not offered. */
  readonly path: string | undefined
}

export class EngineConnections {
  /** Connections of this link. */
  readonly members = new Set<Member>()
  readonly #parts: EngineConnectionsParts

  constructor(parts: EngineConnectionsParts) {
    this.#parts = parts
  }

  open(stream: LinkStream): StreamHandler | LinkCause {
    const { clock, log, path } = this.#parts
    if (path === undefined) return failed('refused', 'the device does not offer its containers (BOWLINE_CONTAINERS)')
    const socket = connect({ path, allowHalfOpen: true })
    const joined = new SocketStream(socket, this, () => stream)
    this.members.add(joined)
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('no connection within 10 seconds')))
    socket.on('connect', () => {
      cancel()
      stream.control({ type: 'connected' })
    })
    socket.on('error', ({ message }) => log.debug('containers.failed', { path, error: message }))
    socket.on('close', cancel)
    return joined
  }
}
