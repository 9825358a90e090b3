// The context of a use case: the actor, the namespace, and the few services that it may use.
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Role } from '@bowline/contract/roles'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Clock } from '@bowline/base/clock'
import type { Schema } from './db/schema.ts'
import type { Log } from './platform/log.ts'
import type { Locate } from './platform/positions.ts'

/** Where a call of a person comes from. */
export interface Origin {
  /** The client's address, after trusted proxies. */
  readonly source: string
  readonly userAgent: string
}

/** A signed-in person. */
export interface UserActor {
  readonly kind: 'user'
  readonly id: UserId
  readonly username: string
  /** Empty when the token belongs to no namespace or the membership has ended. */
  readonly tenant: TenantId | undefined
  readonly role: Role | undefined
  /** Family of the refresh cookie that the token was made from; undefined for tokens of `POST /api/login`. */
  readonly family: string | undefined
  /** The `POST /api/login` that the token was renewed from; undefined for browser sessions. */
  readonly login: string | undefined
  /** Seconds since the epoch at which the token ends. */
  readonly expiresAt: number
}

/** A program with an API key. */
export interface ApiKeyActor {
  readonly kind: 'api-key'
  /** Name of the key in its namespace. */
  readonly name: string
  readonly tenant: TenantId
  /** The key's role, or its creator's of today when that is lower. */
  readonly role: Role
  readonly creator: UserId
}

export interface DeviceActor {
  readonly kind: 'device'
  readonly uid: DeviceUid
  readonly tenant: TenantId
  /** Whether the device's key has signed for the token: anybody can have one without. */
  readonly proven: boolean
}

/** The platform itself: gateway, jobs, command line. */
export interface SystemActor {
  readonly kind: 'system'
  readonly name: string
}

export type Actor = UserActor | ApiKeyActor | DeviceActor | SystemActor

/** The person who acts, also by a program of theirs; undefined for devices and the platform. */
export function personOf(actor: Actor): UserId | undefined {
  if (actor.kind === 'user') return actor.id
  return actor.kind === 'api-key' ? actor.creator : undefined
}

/** Context of every use case inside a namespace. The tenant comes from the credential, never from input. */
export interface TenantContext {
  readonly actor: Actor
  readonly tenant: TenantId
  /** Sees the rows of the tenant only; the database enforces it. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly edition: 'community' | 'enterprise' | 'cloud'
  /** Address of the caller; '' for the platform itself. */
  readonly source: string
  /** Where an address is on the map. */
  readonly locate: Locate
  /** Whether the namespace has live listeners, or had some minutes ago: else what only they are told need not be read. */
  hasListeners(): boolean
  /** Tells the namespace's live listeners. */
  emit(event: LiveEvent): void
}

/** Records the removal of recordings with their device or namespace. Called before the transaction of `ctx.db` ends. */
export interface RecordingRemoval {
  deviceRemoved(ctx: TenantContext, uid: DeviceUid): Promise<void>
  namespaceRemoved(ctx: TenantContext): Promise<void>
}
