// Bounds the requests that are outstanding on one connection. HTTP/1.1 lets a client send requests without waiting for
// answers (pipelining, RFC 9112 section 9.3.2), and Node starts all that one read holds, which may be more than a
// thousand. Browsers and proxies do not pipeline.
import type { Socket } from 'node:net'

const MAX_OUTSTANDING = 16

export interface Pipelining {
  /** A request has arrived. @returns false above the limit: the connection has been dropped */
  begin(socket: Socket): boolean
  /** A request has been answered. */
  end(socket: Socket): void
}

export function limitPipelining(): Pipelining {
  const outstanding = new WeakMap<Socket, number>()
  return {
    begin(socket) {
      if (socket.destroyed) return false
      const count = (outstanding.get(socket) ?? 0) + 1
      outstanding.set(socket, count)
      if (count <= MAX_OUTSTANDING) return true
      socket.destroy()
      return false
    },
    end(socket) {
      outstanding.set(socket, Math.max(0, (outstanding.get(socket) ?? 0) - 1))
    },
  }
}
