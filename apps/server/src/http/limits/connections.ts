// Limits the connections of the HTTP listener, per source and in total. After their upgrade, links and terminals are
// counted by their own owners.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { sourceKey } from '../../platform/network/address.ts'

export interface ConnectionLimits {
  readonly perSource: number
  readonly total: number
  /** Proxies and load balancers: many clients share their address. */
  readonly isExempt: (address: string) => boolean
}

export interface Connections {
  /** Protects a connection from eviction while it answers an authenticated call. */
  keep(socket: Socket): void
  /** Ends the protection after the answer; an idle connection has none until its next call. */
  release(socket: Socket): void
  readonly count: number
}

/** Counts the connections of a server and evicts those above the limits. */
export function limitConnections(server: Server, limits: ConnectionLimits): Connections {
  /** By source, each with its oldest connection first. */
  const bySource = new Map<string, Map<string, Socket>>()
  const kept = new Set<string>()
  let count = 0

  /** Drops the oldest unprotected connection of the source that holds most. */
  const evict = (): boolean => {
    const sources = [...bySource.values()].sort((a, b) => b.size - a.size)
    for (const sockets of sources) {
      for (const [key, socket] of sockets) {
        if (kept.has(key)) continue
        sockets.delete(key)
        count -= 1
        socket.destroy()
        return true
      }
    }
    return false
  }

  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const source = sourceKey(address)
    const held = bySource.get(source) ?? new Map<string, Socket>()
    if (!limits.isExempt(address) && held.size >= limits.perSource) return void socket.destroy()
    if (count >= limits.total && !evict()) return void socket.destroy()
    const key = keyOf(socket)
    bySource.set(source, held.set(key, socket))
    count += 1
    socket.once('close', () => forget(source, key))
  })
  // The upgrade handler owns the socket from here on.
  server.on('upgrade', ({ socket }) => forget(sourceKey(socket.remoteAddress ?? ''), keyOf(socket)))

  function forget(source: string, key: string): void {
    const held = bySource.get(source)
    kept.delete(key)
    if (!held?.delete(key)) return
    count -= 1
    if (held.size === 0) bySource.delete(source)
  }

  return {
    keep(socket) {
      const key = keyOf(socket)
      if (bySource.get(sourceKey(socket.remoteAddress ?? ''))?.has(key)) kept.add(key)
    },
    release: (socket) => void kept.delete(keyOf(socket)),
    get count() {
      return count
    },
  }
}

/** Same key for a TCP connection and for the TLS socket on it. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
