// Context of a use case: actor, namespace, and the few services it may use.
import type { LiveEvent } from '@bowline/contract/schemas/event'
import { type Grant, type Permission, type Role, grantsGive, roleMay, tagsGiving } from '@bowline/contract/roles'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Schema } from './db/schema.ts'
import type { Log } from './platform/log.ts'
import type { Locate } from './platform/positions.ts'

/** Origin of a person's call. */
export interface Origin {
  /** Client address, resolved through trusted proxies. */
  readonly source: string
  readonly userAgent: string
}

/** A signed-in person. */
export interface UserActor {
  readonly kind: 'user'
  readonly id: UserId
  readonly username: string
  /** Undefined when the token belongs to no namespace or the membership has ended. */
  readonly tenant: TenantId | undefined
  readonly role: Role | undefined
  /** By roles of the namespace. */
  readonly grants: readonly Grant[]
  /** Family of the refresh cookie that issued the token; undefined for tokens of `POST /api/login`. */
  readonly family: string | undefined
  /** Identifier of the `POST /api/login` that the token was renewed from; undefined for browser sessions. */
  readonly login: string | undefined
  /** Expiry of the token, in seconds since the epoch. */
  readonly expiresAt: number
  readonly isInstanceAdmin: boolean
  /** True while the token's namespace is disabled. */
  readonly inDisabledNamespace: boolean
}

/** A program with an API key. */
export interface ApiKeyActor {
  readonly kind: 'api-key'
  /** Name of the key in its namespace. */
  readonly name: string
  readonly tenant: TenantId
  /** The key's role, or its creator's current one when that is lower. */
  readonly role: Role
  /** Calls that the key is limited to; null: all that its role allows. */
  readonly scopes: readonly string[] | null
  readonly creator: UserId
  /** True while the key's namespace is disabled. */
  readonly inDisabledNamespace: boolean
}

export interface DeviceActor {
  readonly kind: 'device'
  readonly uid: DeviceUid
  readonly tenant: TenantId
  /** True when the token request was signed with the device's key: anybody can get an unsigned one. */
  readonly proven: boolean
}

/** The platform itself: gateway, jobs, command line. */
export interface SystemActor {
  readonly kind: 'system'
  readonly name: string
}

export type Actor = UserActor | ApiKeyActor | DeviceActor | SystemActor

/** The acting person, also behind an API key; undefined for devices and the platform. */
export function personOf(actor: Actor): UserId | undefined {
  if (actor.kind === 'user') return actor.id
  return actor.kind === 'api-key' ? actor.creator : undefined
}

/** The role that an actor acts with; undefined for devices and the platform, which have none. */
export function roleOf(actor: Actor): Role | undefined {
  return actor.kind === 'user' || actor.kind === 'api-key' ? actor.role : undefined
}

/**
 * True if the actor has a permission on everything, by their role or one of the namespace's own. The platform and the
 * instance's operator have all of them.
 */
export function actorMay(actor: Actor, permission: Permission): boolean {
  if (actor.kind === 'system') return true
  const role = roleOf(actor)
  if (role === undefined) return false
  return roleMay(role, permission) || (actor.kind === 'user' && grantsGive(actor.grants, permission))
}

/** As {@link actorMay}, on one device, for which roles that are limited to its tags count as well. */
export function actorMayOn(
  device: { readonly tags: readonly string[] },
  actor: Actor,
  permission: Permission,
): boolean {
  if (actorMay(actor, permission)) return true
  return actor.kind === 'user' && tagsGiving(actor.grants, permission).some((tag) => device.tags.includes(tag))
}

/** Context of every use case inside a namespace. The tenant comes from the credential, never from input. */
export interface TenantContext {
  readonly actor: Actor
  readonly tenant: TenantId
  /** Sees only the tenant's rows; enforced by the database. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly edition: 'community' | 'enterprise' | 'cloud'
  /** Address of the caller; '' for the platform itself. */
  readonly source: string
  /** Change of many devices that acts: its entries in the audit log are folded into one. */
  readonly job?: string
  /** Maps an address to coordinates. */
  readonly locate: Locate
  /**
   * True while the namespace has live listeners or had some minutes ago; otherwise data only for them need not be read.
   */
  hasListeners(): boolean
  /** Notifies the namespace's live listeners. */
  emit(event: LiveEvent): void
}

/** What a call is about, where its permission may be limited to some devices. */
export interface DeviceOrSession {
  readonly tenant: TenantId
  readonly is: 'device' | 'session'
  /** As in the path. */
  readonly uid: string
}

/**
 * Records the removal of recordings with their device or namespace. Call it before the transaction of `ctx.db` ends.
 */
export interface RecordingRemoval {
  deviceRemoved(ctx: TenantContext, uid: DeviceUid): Promise<void>
  namespaceRemoved(ctx: TenantContext): Promise<void>
}
