// The links of this node's devices: one per device, the newest wins. Epochs come from the database, so that two links
// of one identity are ordered even when they arrive together, and an older one's end never marks the newer offline.
import { PendingSet } from '@bowline/base/pending-set'
import type { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import type { Link, LinkCause } from '@bowline/link/api'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { DeviceActor, TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { heartbeat, linkDown, linkUp, notifyLinkUp } from '../../devices/presence.ts'
import type { Log } from '../../platform/log.ts'
import { keepSessionsAlive } from '../../sessions/service.ts'

const FLUSH_INTERVAL_MS = 10_000

const DISPLACED: LinkCause = {
  by: 'gateway',
  reason: 'displaced',
  message: 'Another agent with the same identity has connected.',
}
const REMOVED: LinkCause = { by: 'admin', reason: 'removed', message: 'The device has been removed.' }
const NAMESPACE_REMOVED: LinkCause = {
  by: 'admin',
  reason: 'namespace-removed',
  message: 'The namespace has been deleted.',
}
const UNAVAILABLE: LinkCause = { by: 'gateway', reason: 'unavailable', message: 'The server cannot take links now.' }

export interface AgentsDeps {
  /** System connection, for heartbeats. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly node: string
  readonly contextOf: (device: DeviceActor) => TenantContext
}

/** Events of an accepted link, from the endpoint. */
export interface LinkEvents {
  alive(): void
  closed(cause: LinkCause): void
}

export interface Agents {
  /** Registers a link whose device has proved its key. */
  add(device: DeviceActor, link: Link, remoteAddress: string): LinkEvents
  /** The newest link of a device on this node. */
  find(uid: DeviceUid): Link | undefined
  /** Closes the link of a removed device. */
  drop(uid: DeviceUid): void
  /** Closes the links of all devices of deleted namespaces. */
  dropNamespaces(tenants: ReadonlySet<TenantId>): void
  /** Includes a session's row in the heartbeats. @returns cancel */
  keepSessionAlive(uid: SessionUid): () => void
  readonly count: number
  start(): void
  /** Asks every agent to reconnect elsewhere. */
  drain(): void
  /** Draining: new links are refused. */
  readonly isDraining: boolean
  close(): Promise<void>
}

interface Entry {
  readonly tenant: TenantId
  readonly link: Link
  readonly epoch: number
}

export function createAgents({ db, clock, log, node, contextOf }: AgentsDeps): Agents {
  const entries = new Map<DeviceUid, Entry>()
  const links = new Set<Link>()
  const alive = new Set<DeviceUid>()
  const sessions = new Set<SessionUid>()
  const pending = new PendingSet((error) => log.error('presence.error', { err: error }))
  let draining = false
  let stopFlushing = (): void => undefined

  async function settle(device: DeviceActor, link: Link, remote: string): Promise<number | undefined> {
    const ctx = contextOf(device)
    const epoch = await linkUp(ctx, device.uid, node, remote)
    if (epoch === undefined) {
      link.close(REMOVED)
      return undefined
    }
    const current = entries.get(device.uid)
    if (current && current.epoch > epoch) {
      link.close(DISPLACED)
      return epoch
    }
    entries.set(device.uid, { tenant: device.tenant, link, epoch })
    log.info('link.up', { device: device.uid, tenant: device.tenant, epoch, remote })
    if (current) {
      log.warn('link.displaced', { device: device.uid, epoch: current.epoch })
      current.link.close(DISPLACED)
    }
    // Listeners may connect at once: the link is registered before.
    await notifyLinkUp(ctx, device.uid)
    return epoch
  }

  function flush(): void {
    const beats = [...alive]
    alive.clear()
    pending.track(heartbeat(db, beats))
    pending.track(keepSessionsAlive(db, [...sessions]))
  }

  return {
    add(device, link, remote) {
      links.add(link)
      const claim = settle(device, link, remote)
      pending.track(
        claim.then(
          () => undefined,
          (error: unknown) => {
            link.close(UNAVAILABLE)
            throw error
          },
        ),
      )
      return {
        alive: () => alive.add(device.uid),
        closed(cause) {
          links.delete(link)
          // The claim may still be pending: the end of a link is recorded after its start.
          pending.track(
            claim.then(async (epoch) => {
              if (entries.get(device.uid)?.link === link) entries.delete(device.uid)
              if (epoch === undefined) return
              log.info('link.down', { device: device.uid, epoch, by: cause.by, reason: cause.reason })
              await linkDown(contextOf(device), device.uid, epoch)
            }),
          )
        },
      }
    },
    find: (uid) => entries.get(uid)?.link,
    drop: (uid) => entries.get(uid)?.link.close(REMOVED),
    dropNamespaces(tenants) {
      if (tenants.size === 0) return
      for (const { tenant, link } of entries.values()) if (tenants.has(tenant)) link.close(NAMESPACE_REMOVED)
    },
    keepSessionAlive(uid) {
      sessions.add(uid)
      return () => sessions.delete(uid)
    },
    get count() {
      return entries.size
    },
    start() {
      stopFlushing = clock.every(FLUSH_INTERVAL_MS, flush)
    },
    get isDraining() {
      return draining
    },
    drain() {
      draining = true
      for (const link of links) link.goaway({ by: 'gateway', reason: 'draining', message: 'The server is stopping.' })
    },
    async close() {
      stopFlushing()
      for (const link of links) link.close({ by: 'gateway', reason: 'stopped', message: 'The server has stopped.' })
      // Links report their end in a microtask: only then is there something to wait for.
      await Promise.resolve()
      await pending.drain()
    },
  }
}
