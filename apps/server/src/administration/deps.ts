// What the administration of the instance needs of the server.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Actor, Origin, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Administrator } from '../users/administrators.ts'

export interface AdministrationDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  /** Ends the browser sessions of an account, inside the caller's transaction. */
  readonly endSessions: (db: Kysely<Schema>, id: UserId) => Promise<void>
  readonly contextOf: (tenant: TenantId, actor: Actor, source: string) => TenantContext
  /** Judges again what is under way through tunnels of a namespace; in other processes their own sweeps do. */
  readonly reviewTunnels: (tenant: TenantId) => Promise<void>
}

/** Who administers, and from where. */
export interface By {
  readonly actor: Actor
  readonly origin: Origin
}

export function administratorOf({ actor, origin }: By): Administrator {
  return { id: actor.kind === 'user' ? actor.id : undefined, origin }
}

/** Origin of an entry of the audit log. */
export function auditOrigin({ actor, origin }: By): { readonly actor: Actor; readonly source: string } {
  return { actor, source: origin.source }
}
