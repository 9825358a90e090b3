// What happens on one node and has effects on others: live events, changes of policy, ends of sessions.
import type { Clock } from '@bowline/base/clock'
import { LiveEvent } from '@bowline/contract/schemas/event'
import { DeviceUid, SessionUid, TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import * as z from 'zod'
import type { JsonObject, Schema } from '../db/schema.ts'
import { listenTo } from '../db/listen.ts'
import type { OwnerConnection } from '../db/owner-session.ts'
import type { EventBus } from '../events/bus.ts'
import type { MovedLink } from '../gateway/links/agents.ts'
import type { NodeLease } from '../nodes/lease.ts'
import { type NodeMessages, WAKE_CHANNEL, createNodeMessages } from '../nodes/messages.ts'
import type { Log } from '../platform/log.ts'
import type { Redis } from '../platform/redis/redis.ts'
import type { SessionCause } from '../sessions/service.ts'

const Cause = z.object({
  by: z.enum(['user', 'agent', 'gateway', 'admin', 'policy', 'network']),
  reason: z.string(),
  message: z.string(),
})

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('event'), tenant: TenantId, event: LiveEvent }),
  z.object({ type: z.literal('close-session'), uid: SessionUid, cause: Cause }),
  /** A device of the node has a link at another one now. */
  z.object({
    type: z.literal('link-moved'),
    node: z.string(),
    device: DeviceUid,
    tenant: TenantId,
    epoch: z.number(),
    remote: z.string(),
  }),
  /** A node was lost, or messages were: whatever is shown may have changed. */
  z.object({ type: z.literal('reset') }),
])
const RESET: JsonObject = { type: 'reset' }

/** Events with effects beside those on listeners: every node learns of them. */
const EFFECTIVE: ReadonlySet<LiveEvent['type']> = new Set([
  'device.removed',
  'device.changed',
  'member.removed',
  'member.changed',
  'namespace.removed',
  'policy.changed',
  'reset',
])
/** More namespaces than this are not listed: then everything is told. */
const MAX_LISTED = 1_000
/** Until every node knows that somebody listens to a namespace here: two heartbeats and their time. */
const KNOWN_AFTER_MS = 3_000

export interface ClusterDeps {
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly lease: NodeLease
  readonly bus: EventBus
  readonly redis: Redis | undefined
  /** For LISTEN. */
  readonly owner: OwnerConnection
  /** Applies an event of another node: to listeners, links and sessions. */
  readonly apply: (event: LiveEvent, tenant: TenantId) => void
  /** Ends the link of a device that has a newer one elsewhere. */
  readonly linkMoved: (link: MovedLink) => void
  readonly closeSession: (uid: SessionUid, cause: SessionCause) => boolean
  /** Reads everything anew that follows from events. */
  readonly resetAll: () => void
}

export interface Cluster {
  start(): Promise<void>
  /** True if somebody may read the namespace's events at another node. */
  isListenedToElsewhere(tenant: TenantId): boolean
  /** Tells the other nodes of an event that concerns them. */
  emitted(tenant: TenantId, event: LiveEvent): void
  /** A namespace has its first listener at this node. */
  opened(tenant: TenantId): void
  /** Namespaces whose events the other nodes are to tell; null: all. */
  listening(): readonly TenantId[] | null
  /** Ends a session that another node holds. @returns false if that node is not alive */
  closeElsewhere(session: { readonly uid: SessionUid; readonly node: string }, cause: SessionCause): boolean
  /** Tells a node that a device has left it for this one. */
  linkMoved(node: string, link: MovedLink): void
  /** A node was lost. */
  buried(): void
  /** Another server has taken the database's place. */
  databaseReplaced(): void
  close(): Promise<void>
}

export function createCluster(deps: ClusterDeps): Cluster {
  const { system, clock, log, lease, bus, redis } = deps
  const waker = redis && {
    get isReady() {
      return redis.isReady
    },
    wake: () => redis.wake(WAKE_CHANNEL),
  }
  let stopListening = async (): Promise<void> => undefined
  const messages: NodeMessages = createNodeMessages({
    db: system,
    clock,
    log,
    node: lease.id,
    apply(body) {
      const parsed = Message.safeParse(body)
      // A node of a later version may say what this one does not know.
      if (!parsed.success) return log.warn('node.error', { reason: 'unknown message', type: String(body['type']) })
      const message = parsed.data
      if (message.type === 'event') deps.apply(message.event, message.tenant)
      else if (message.type === 'link-moved') {
        if (message.node === lease.id) deps.linkMoved(message)
      } else if (message.type === 'close-session') deps.closeSession(message.uid, message.cause)
      else deps.resetAll()
    },
    missed: deps.resetAll,
    missedMessage: RESET,
    waker,
  })
  return {
    async start() {
      await messages.start()
      redis?.onWake(WAKE_CHANNEL, () => messages.wake())
      stopListening = listenTo(deps.owner, WAKE_CHANNEL, () => messages.wake(), { clock, log })
    },
    isListenedToElsewhere: (tenant) => lease.isListenedToElsewhere(tenant),
    emitted(tenant, event) {
      if (EFFECTIVE.has(event.type) || lease.isListenedToElsewhere(tenant))
        messages.publish({ type: 'event', tenant, event })
    },
    opened(tenant) {
      void lease.refresh()
      // What happened elsewhere before the others knew was not told.
      clock.after(KNOWN_AFTER_MS, () => {
        if (lease.others.length > 0) bus.emit(tenant, { type: 'reset' })
      })
    },
    listening() {
      const tenants = bus.tenants()
      return tenants.length > MAX_LISTED ? null : tenants
    },
    closeElsewhere({ uid, node }, cause) {
      if (node === lease.id || !lease.isAlive(node)) return false
      const { by, reason, message } = cause
      messages.publish({ type: 'close-session', uid, cause: { by, reason, message } })
      return true
    },
    linkMoved(node, { device, tenant, epoch, remote }) {
      // Nodes that stop or have died need not be told: there may be thousands of devices.
      const holder = lease.others.find(({ id }) => id === node)
      if (!holder || holder.draining) return
      messages.publish({ type: 'link-moved', node, device, tenant, epoch, remote })
    },
    buried() {
      deps.resetAll()
      messages.publish(RESET)
    },
    databaseReplaced: () => messages.replaced(),
    async close() {
      await stopListening()
      await messages.close()
    },
  }
}
