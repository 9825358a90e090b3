// Presence of devices, as the gateway reports it: links that come and go, and their heartbeats.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { tellChanged } from './service.ts'
import {
  type LoginTarget,
  claimLink,
  disconnectDevice,
  findLoginTarget,
  releaseLink,
  releaseLinksOfNode,
  touchDevices,
} from './presence-store.ts'

export type { ForwardingPolicy, LoginTarget } from './presence-store.ts'

/**
 * The device that an SSHID names: by uid, or by namespace and the name of an accepted device.
 * @param db system connection
 */
export function resolveLoginTarget(
  db: Kysely<Schema>,
  target: { uid: DeviceUid } | { namespace: string; device: string },
): Promise<LoginTarget | undefined> {
  return findLoginTarget(db, target)
}

/**
 * A link of the device is up. The listeners are told by {@link tellLinkUp}, once the link can be used.
 * @returns its epoch: the newest link has the highest; undefined when the device has been removed
 */
export function linkUp(
  ctx: TenantContext,
  uid: DeviceUid,
  node: string,
  remoteAddress: string,
): Promise<number | undefined> {
  return claimLink(ctx.db, uid, node, remoteAddress)
}

/** Tells that the device is online. */
export function tellLinkUp(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  return tellPresence(ctx, uid)
}

/** A herd of devices that comes back where nobody looks costs no reading; a link alone changes what no session may. */
async function tellPresence(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  if (ctx.hasListeners()) await tellChanged(ctx, uid)
}

/** A link is down. The device is offline only if no newer link exists. */
export async function linkDown(ctx: TenantContext, uid: DeviceUid, epoch: number): Promise<void> {
  if (await releaseLink(ctx.db, uid, epoch)) await tellPresence(ctx, uid)
}

/** A device is offline, says another part of the platform: until its next link. @returns false for an unknown one */
export async function markOffline(ctx: TenantContext, uid: DeviceUid): Promise<boolean> {
  const isKnown = await disconnectDevice(ctx.db, uid)
  if (isKnown) await tellPresence(ctx, uid)
  return isKnown
}

/** At start: the links that this node held in an earlier life are gone. @param db system connection */
export function forgetLinksOf(db: Kysely<Schema>, node: string): Promise<void> {
  return releaseLinksOfNode(db, node)
}

/** Heartbeats of many devices at once. @param db system connection */
export function heartbeat(db: Kysely<Schema>, uids: readonly DeviceUid[]): Promise<void> {
  return touchDevices(db, uids)
}
