// A link between two servers of one platform, over a socket on which both have proved who they are. Either may open
// streams; the frames and their transport are those of a device's link.
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import { LINK_DEFAULTS, type Link, type LinkHandler, type LinkOptions } from '../api.ts'
import { startLink } from '../session/link.ts'
import { SocketTransport } from '../websocket/socket-transport.ts'

export interface ServerLinkParts {
  /** Encrypted, with both ends authenticated. The link owns it from here on. */
  readonly socket: Duplex
  /** The end that dialled masks its WebSocket frames, with zeros: there is nobody in between. */
  readonly end: 'dialled' | 'accepted'
  readonly handler: LinkHandler
  readonly clock: Clock
  readonly options?: Partial<LinkOptions>
  /** Called with what a handler's callback threw. */
  readonly report: (error: unknown, callback: string) => void
}

/** Starts the link. Both ends must be given the same `options`. */
export function linkServers({ socket, end, handler, clock, options, report }: ServerLinkParts): Link {
  const { socketHighBytes } = { ...LINK_DEFAULTS, ...options }
  const masking = end === 'dialled' ? 'zero' : 'none'
  const transport = new SocketTransport({ socket, head: new Uint8Array(0), masking, highBytes: socketHighBytes, clock })
  const side = end === 'dialled' ? 'agent' : 'gateway'
  return startLink({ transport, side, handler, clock, believesCauses: true, report, ...(options ? { options } : {}) })
}
