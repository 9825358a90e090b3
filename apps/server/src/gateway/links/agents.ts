// The links of this node's devices: one per device, the newest wins. Epochs come from the database, so that two links
// of one identity are ordered even when they arrive together, and an older one's end never marks the newer offline.
import { PendingSet } from '@bowline/base/pending-set'
import type { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import type { Link, LinkCause } from '@bowline/link/api'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import { takeHandover } from '../../agent-updates/service.ts'
import type { DeviceActor, TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { findHostKeys } from '../../devices/enrolled/enrolled.ts'
import { createPresenceBatches } from '../../devices/links/batches.ts'
import { linkDown, linkUp, listLinksOf, notifyLinkUp, restoreLinks } from '../../devices/presence.ts'
import type { Log } from '../../platform/log.ts'
import { keepSessionsAlive } from '../../sessions/service.ts'
import { LinkLog } from './link-log.ts'
import { Handovers, type HeldLink } from './handovers.ts'
import { HostKeyReviews, type HostKeyUsers } from './host-key-reviews.ts'

/** Between heartbeats of sessions' rows, repairs of presence, and reviews of all host keys. */
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
const UNKNOWN_DEVICE: LinkCause = {
  by: 'gateway',
  reason: 'unknown-device',
  message: 'The server’s database has lost the registration of this device.',
}
const FENCED: LinkCause = {
  by: 'gateway',
  reason: 'node-lost',
  message: 'The server was counted as lost, and its devices were given away.',
}

export interface AgentsDeps {
  /** System connection, for heartbeats of sessions and repairs of presence. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly node: string
  /** @param source address that the device's link comes from; default: none */
  readonly contextOf: (device: DeviceActor, source?: string) => TenantContext
  /** Tells the node that has held a device's link of a newer one here. */
  readonly tellHolder: (node: string, moved: MovedLink) => void
}

/** A device has a link at another node now. */
export interface MovedLink {
  readonly device: DeviceUid
  readonly tenant: TenantId
  /** Of the newer link. */
  readonly epoch: number
  readonly remote: string
}

/** Events of an accepted link, from the endpoint. */
export interface LinkEvents {
  closed(cause: LinkCause): void
  /**
   * The device cannot be reached by the link any more, but what runs over it goes on. The device goes offline; the link
   * closes later, or with the device. `closed` must still follow.
   */
  lingers(cause: LinkCause): void
  /**
   * Another process of the device will come with a newer link. Where an update lets it, this one is left open then with what
   * runs on it.
   */
  handsOver(): void
}

export interface Agents {
  /**
   * Registers a link whose device has proved its key.
   * @param users of the host key of its device; undefined for an agent of ours, whose device has none
   */
  add(device: DeviceActor, link: Link, remoteAddress: string, users?: HostKeyUsers): LinkEvents
  /** The newest link of a device on this node. */
  find(uid: DeviceUid): Link | undefined
  /** The newest link of a device on this node, with what other nodes must know to use it. */
  held(uid: DeviceUid): HeldLink | undefined
  /** A link of a device that a newer one has replaced, with what still runs on it. */
  heldBefore(uid: DeviceUid, epoch: number): HeldLink | undefined
  /** A device of this node has a newer link at another one: the link here ends, or hands over. */
  moved(link: MovedLink): void
  /** Ends the logins on a device whose SSH server has proved another host key than the accepted one. */
  reviewHostKey(uid: DeviceUid): void
  /** Closes the link of a removed device. */
  drop(uid: DeviceUid): void
  /** Closes the links of all devices of deleted namespaces. */
  dropNamespaces(tenants: ReadonlySet<TenantId>): void
  /** Includes a session's row in the heartbeats. @returns cancel */
  keepSessionAlive(uid: SessionUid): () => void
  /** Another server has taken the database's place: rows are compared with the links at the next turn. */
  databaseReplaced(): void
  readonly count: number
  start(): void
  /** Asks every agent to reconnect elsewhere. */
  drain(): void
  /** Draining: new links are refused. */
  readonly isDraining: boolean
  /** Closes every link: other nodes have taken the devices over. Their agents connect anew. */
  fence(): void
  close(): Promise<void>
}

export function createAgents({ db, clock, log, node, contextOf, tellHolder }: AgentsDeps): Agents {
  const entries = new Map<DeviceUid, HeldLink>()
  const links = new Set<Link>()
  /** Links that reach their device no more, with what still runs over them. */
  const lingering = new Map<Link, DeviceActor>()
  const handovers = new Handovers(clock)
  const lines = new LinkLog(log, clock)
  /** Epochs of links at other nodes, of which this one was told while claims were under way here. */
  const movedMeanwhile = new Map<DeviceUid, number>()
  /** Namespaces that were deleted while claims were under way here. */
  const deletedMeanwhile = new Set<TenantId>()
  const sessions = new Set<SessionUid>()
  const hostKeys = new HostKeyReviews({ clock, log, hostKeysOf: (uids) => findHostKeys(db, uids) })
  const batches = createPresenceBatches(db, node)
  let lastError: unknown
  const pending = new PendingSet((error) => {
    needsRepair = true
    // All of one batch fail by one error.
    if (error !== lastError) log.error('presence.error', { err: error })
    lastError = error
  })
  /** A claim or release may have failed, or be lost with the primary: rows may differ from the links of this node. */
  let needsRepair = false
  const claims = { begun: 0, ended: 0 }
  let draining = false
  let stopFlushing = (): void => undefined

  async function settle(device: DeviceActor, link: Link, remote: string): Promise<number | undefined> {
    const ctx = contextOf(device)
    const claim = await linkUp(ctx, device.uid, node, remote, batches)
    if (claim === undefined) {
      link.close(REMOVED)
      return undefined
    }
    const { epoch, heldBy } = claim
    if (deletedMeanwhile.has(device.tenant)) {
      link.close(NAMESPACE_REMOVED)
      return epoch
    }
    const current = entries.get(device.uid)
    if (Math.max(current?.epoch ?? 0, movedMeanwhile.get(device.uid) ?? 0) > epoch) {
      link.close(DISPLACED)
      return epoch
    }
    entries.set(device.uid, { link, epoch, device })
    lines.write('link.up', device.uid, { tenant: device.tenant, epoch, remote })
    if (current) replace(current, remote)
    if (heldBy !== '' && heldBy !== node)
      tellHolder(heldBy, { device: device.uid, tenant: device.tenant, epoch, remote })
    // Listeners may connect at once: the link is registered before.
    await notifyLinkUp(ctx, device.uid)
    return epoch
  }

  /** @param remote address of the newer link */
  function replace(current: HeldLink, remote: string): void {
    const { link, device } = current
    if (!handovers.isAnnounced(link)) return displace(current)
    // What runs on it goes on while the database is asked.
    lingering.set(link, device)
    handovers.keep(current)
    const asked = takeHandover(contextOf(device, remote), device.uid).then((isGranted) => {
      if (isGranted) lines.write('link.handed-over', device.uid, { epoch: current.epoch })
      else displace(current)
    })
    pending.track(
      asked.catch((error: unknown) => {
        displace(current)
        throw error
      }),
    )
  }

  function displace({ link, epoch, device }: HeldLink): void {
    lines.write('link.displaced', device.uid, { epoch })
    link.close(DISPLACED)
  }

  function flush(): void {
    pending.track(keepSessionsAlive(db, [...sessions]))
    if (needsRepair) pending.track(repair())
    // The command line accepts host keys without an event in this process.
    hostKeys.run()
    handovers.look()
    if (claims.ended === claims.begun) {
      movedMeanwhile.clear()
      deletedMeanwhile.clear()
    }
  }

  /** Releases links that only the database believes in and claims those it has lost, at a moment without claims under way. */
  async function repair(): Promise<void> {
    const { begun } = claims
    const rows = claims.ended === begun ? await listLinksOf(db, node) : undefined
    if (rows === undefined || claims.begun !== begun) return
    needsRepair = false
    for (const { uid, tenant, epoch } of rows) {
      if (!entries.has(uid))
        await linkDown(contextOf({ kind: 'device', uid, tenant, proven: true }), uid, { node, epoch })
    }
    const held = [...entries].map(([uid, entry]) => ({ uid, epoch: entry.epoch }))
    for (const { uid, state } of await restoreLinks(db, node, held)) {
      const entry = entries.get(uid)
      if (entry && state === 'restored') await notifyLinkUp(contextOf(entry.device), uid)
      // Nobody can be led to a device without a row: its agent registers anew when it is refused its next link.
      if (state === 'unknown-device') entry?.link.close(UNKNOWN_DEVICE)
      // Another node has not compared its links yet, or has a link of its own: then this one ends before long.
      needsRepair ||= state === 'held-elsewhere'
    }
  }

  return {
    add(device, link, remote, users) {
      links.add(link)
      const forgetHostKey = users && hostKeys.add(device.uid, users)
      claims.begun += 1
      const claim = settle(device, link, remote).finally(() => (claims.ended += 1))
      pending.track(
        claim.then(
          () => undefined,
          (error: unknown) => {
            link.close(UNAVAILABLE)
            throw error
          },
        ),
      )
      let isDown = false
      const down = (cause: LinkCause): void => {
        if (isDown) return
        isDown = true
        // The claim may still be pending: the end of a link is recorded after its start.
        pending.track(
          claim.then(async (epoch) => {
            if (entries.get(device.uid)?.link === link) entries.delete(device.uid)
            if (epoch === undefined) return
            lines.write('link.down', device.uid, { epoch, by: cause.by, reason: cause.reason })
            await linkDown(contextOf(device), device.uid, { node, epoch }, cause, batches)
          }),
        )
      }
      return {
        lingers(cause) {
          lingering.set(link, device)
          down(cause)
        },
        handsOver: () => handovers.announce(link),
        closed(cause) {
          links.delete(link)
          forgetHostKey?.()
          lingering.delete(link)
          handovers.forget(link)
          down(cause)
        },
      }
    },
    find: (uid) => entries.get(uid)?.link,
    held: (uid) => entries.get(uid),
    heldBefore: (uid, epoch) => handovers.before(uid, epoch),
    moved({ device: uid, epoch, remote }) {
      // A stopping node has asked its agents to move, and lets what runs here end.
      if (draining) return
      const entry = entries.get(uid)
      if (entry && entry.epoch < epoch) {
        entries.delete(uid)
        replace(entry, remote)
      } else if (claims.ended < claims.begun) movedMeanwhile.set(uid, epoch)
    },
    reviewHostKey: (uid) => hostKeys.run(uid),
    drop(uid) {
      entries.get(uid)?.link.close(REMOVED)
      for (const [link, device] of lingering) if (device.uid === uid) link.close(REMOVED)
    },
    dropNamespaces(tenants) {
      if (tenants.size === 0) return
      if (claims.ended < claims.begun) for (const tenant of tenants) deletedMeanwhile.add(tenant)
      for (const { device, link } of entries.values()) if (tenants.has(device.tenant)) link.close(NAMESPACE_REMOVED)
      for (const [link, { tenant }] of lingering) if (tenants.has(tenant)) link.close(NAMESPACE_REMOVED)
    },
    keepSessionAlive(uid) {
      sessions.add(uid)
      return () => sessions.delete(uid)
    },
    databaseReplaced: () => (needsRepair = true),
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
    fence() {
      for (const link of links) link.close(FENCED)
      entries.clear()
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
