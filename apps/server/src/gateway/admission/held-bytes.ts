// Bounds what all connections together hold for clients and devices that do not read. Windows bound each channel, but a
// connection may have a thousand of them, and a namespace hundreds of connections.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { SshConnection } from '@bowline/ssh/api'
import type { SessionCause } from '../../sessions/service.ts'
import { TEXTS, withoutPrefix } from '../record/texts.ts'

/** Between two looks, in milliseconds. */
export const HELD_LOOK_MS = 1_000

/** Cause of the connections that end for it. */
export const HELD_TOO_MUCH: SessionCause = {
  by: 'gateway',
  reason: 'unread-output',
  message: withoutPrefix(TEXTS.unread),
}

/** The part of a connection that counts. */
export type Holder = Pick<SshConnection, 'heldBytes'>

export interface HeldBytesLimit<Connection extends Holder> {
  /** @returns the connections to end */
  excess(connections: Iterable<readonly [Connection, { readonly tenant: TenantId | undefined }]>): Connection[]
}

/**
 * Chooses the largest connections of the namespace that holds the most, until the rest is within the limit: others hold
 * little each, however many of them there are.
 * @param maxBytes of all connections together
 */
export function limitHeldBytes<Connection extends Holder>(maxBytes: number): HeldBytesLimit<Connection> {
  /** Chosen before; each still has some seconds to end. */
  const chosen = new WeakSet<Connection>()
  return {
    excess(connections) {
      const byNamespace = new Map<string, { bytes: number; holders: { connection: Connection; bytes: number }[] }>()
      let total = 0
      for (const [connection, { tenant = '' }] of connections) {
        const bytes = chosen.has(connection) ? 0 : connection.heldBytes
        if (bytes === 0) continue
        total += bytes
        const namespace = byNamespace.get(tenant) ?? { bytes: 0, holders: [] }
        namespace.bytes += bytes
        namespace.holders.push({ connection, bytes })
        byNamespace.set(tenant, namespace)
      }
      const ends: Connection[] = []
      while (total > maxBytes) {
        const most = [...byNamespace.values()].reduce((one, other) => (other.bytes > one.bytes ? other : one))
        const largest = most.holders.reduce((one, other) => (other.bytes > one.bytes ? other : one))
        most.holders.splice(most.holders.indexOf(largest), 1)
        most.bytes -= largest.bytes
        total -= largest.bytes
        chosen.add(largest.connection)
        ends.push(largest.connection)
      }
      return ends
    },
  }
}
