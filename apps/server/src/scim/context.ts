// Context of what an identity provider asks for by SCIM.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { InvitationDeps } from '../members/invitations.ts'
import type { ScimTurns } from './turns.ts'

export interface ScimDeps extends Omit<InvitationDeps, 'db'> {
  readonly system: Kysely<Schema>
  readonly turns: ScimTurns
}

export interface ScimContext extends TenantContext {
  /** Administrator who made the token, and vouches for invitations. */
  readonly creator: UserId
}
