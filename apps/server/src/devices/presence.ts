// Presence of devices, as reported by the gateway: which node holds the link of which device. The numbers: see Presence
// in ARCHITECTURE.md.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { notifyChanged } from './service.ts'
import {
  type LinkClaim,
  type LinkHolder,
  type LoginTarget,
  type LostClaim,
  claimLink,
  disconnectDevice,
  findLapsed,
  findHolder,
  findLinksOfNode,
  findLoginTarget,
  releaseLink,
  releaseLinksOfNode,
  restoreClaims,
} from './presence-store.ts'

export type { ForwardingPolicy, LinkClaim, LinkHolder, LoginTarget } from './presence-store.ts'

/**
 * Resolves an SSHID: by uid, or by namespace and name of an accepted device.
 * @param db system connection
 * @param now time by which grace periods of subscriptions end; undefined outside the cloud edition
 */
export function resolveLoginTarget(
  db: Kysely<Schema>,
  target: { uid: DeviceUid } | { namespace: string; device: string },
  now?: Date,
): Promise<LoginTarget | undefined> {
  return findLoginTarget(db, target, now)
}

/**
 * True if the namespace has more devices than it may without a subscription, and its grace period is over.
 * @param db system connection
 * @param now time by which grace periods end
 */
export function isLapsed(db: Kysely<Schema>, tenant: TenantId, now: Date): Promise<boolean> {
  return findLapsed(db, tenant, now)
}

/** Of a link that a node now holds. */
export interface NewClaim {
  readonly uid: DeviceUid
  readonly tenant: TenantId
  /** Address that the link comes from. */
  readonly remote: string
}

/** A link of a node that has ended. */
export interface EndedLink {
  readonly uid: DeviceUid
  readonly tenant: TenantId
  readonly epoch: number
  /** As `by:reason`. */
  readonly cause: string
}

/** Claims and ends of a node's links, those that come together in one statement. */
export interface PresenceBatches {
  /** @returns undefined when the device has been removed, or its row is locked */
  claim(claim: NewClaim): Promise<LinkClaim | undefined>
  /** @returns false when the device has a newer link, or its row is locked */
  release(ended: EndedLink): Promise<boolean>
}

/**
 * Records a new link of the device. {@link notifyLinkUp} notifies listeners once the link can be used.
 * @param batches of this node; default: a statement of its own
 * @returns undefined when the device has been removed
 */
export async function linkUp(
  ctx: TenantContext,
  uid: DeviceUid,
  node: string,
  remoteAddress: string,
  batches?: Pick<PresenceBatches, 'claim'>,
): Promise<LinkClaim | undefined> {
  const claim = await batches?.claim({ uid, tenant: ctx.tenant, remote: remoteAddress })
  return claim ?? claimLink(ctx.db, uid, node, remoteAddress)
}

/** Notifies listeners that the device is online. */
export function notifyLinkUp(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  return notifyPresence(ctx, uid)
}

/** Skips the query without listeners, so that a mass reconnect is cheap; presence alone affects no session's policy. */
async function notifyPresence(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  if (ctx.hasListeners()) await notifyChanged(ctx, uid)
}

/**
 * Records the end of a link. The device goes offline only without a newer link.
 * @param cause of the end, if known
 * @param batches of this node; default: a statement of its own
 */
export async function linkDown(
  ctx: TenantContext,
  uid: DeviceUid,
  link: LinkHolder,
  cause?: { readonly by: string; readonly reason: string },
  batches?: Pick<PresenceBatches, 'release'>,
): Promise<void> {
  const why = cause ? `${cause.by}:${cause.reason}` : ''
  const isMarked = await batches?.release({ uid, tenant: ctx.tenant, epoch: link.epoch, cause: why })
  if (isMarked || (await releaseLink(ctx.db, uid, link, why))) await notifyPresence(ctx, uid)
}

/** Marks a device offline until its next link, for other parts of the platform. @returns false for an unknown device */
export async function markOffline(ctx: TenantContext, uid: DeviceUid): Promise<boolean> {
  const isKnown = await disconnectDevice(ctx.db, uid)
  if (isKnown) await notifyPresence(ctx, uid)
  return isKnown
}

/** Clears the links that a node held: an earlier run of this one, or a lost one. @param db system connection */
export function forgetLinksOf(db: Kysely<Schema>, node: string): Promise<void> {
  return releaseLinksOfNode(db, node)
}

/** Devices whose link a node holds according to their rows. @param db system connection */
export function listLinksOf(
  db: Kysely<Schema>,
  node: string,
): Promise<{ uid: DeviceUid; tenant: TenantId; epoch: number }[]> {
  return findLinksOfNode(db, node)
}

/**
 * Writes claims of links that the database has lost: it was replaced by a standby that had not received them.
 * @param db system connection
 * @returns devices whose rows were behind or are lacking
 */
export function restoreLinks(
  db: Kysely<Schema>,
  node: string,
  links: readonly { readonly uid: DeviceUid; readonly epoch: number }[],
): Promise<{ uid: DeviceUid; state: LostClaim }[]> {
  return restoreClaims(db, node, links)
}

/** The node that holds a device's link. @param db system connection */
export function holderOf(db: Kysely<Schema>, uid: DeviceUid): Promise<(LinkHolder & { tenant: TenantId }) | undefined> {
  return findHolder(db, uid)
}
