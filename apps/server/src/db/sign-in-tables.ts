// Kysely types of the tables of sign-in: a part of schema.ts, with its rules.
import type { AccountEventKind } from '@bowline/contract/schemas/account-event'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Generated, GeneratedAlways } from 'kysely'

export interface LoginAttemptsTable {
  /** '' counts the failures of all sources together. */
  source: string
  /** SHA-256 of the typed username or address in lower case, 32 bytes. */
  identifier: Buffer
  attempts: number
  locked_until: Date | null
  expires_at: Date
}

export interface KnownSourcesTable {
  user_id: UserId
  source: string
  first_seen: Generated<Date>
  last_seen: Generated<Date>
}

export interface EndedLoginsTable {
  /** Id shared by all tokens renewed from one `POST /api/login`. */
  login: string
  user_id: UserId
  expires_at: Date
}

export interface AccountEventsTable {
  id: GeneratedAlways<number>
  /** '' for a name without an account. */
  user_id: UserId | ''
  at: Date
  last_at: Date
  kind: AccountEventKind
  count: Generated<number>
  source: Generated<string>
  user_agent: Generated<string>
  details: Generated<{ readonly [key: string]: unknown }>
  /** Hour in which repetitions are counted; null for events kept individually. */
  bucket: Date | null
}

export interface AccessChangesTable {
  id: GeneratedAlways<number>
  user_id: UserId
  at: Generated<Date>
}

export interface RefreshTokensTable {
  id: string
  /** Shared by all tokens rotated from one sign-in. */
  family: string
  user_id: UserId
  /** SHA-256 of the token, 32 bytes. */
  token_hash: Buffer
  tenant: TenantId | null
  created_at: Generated<Date>
  expires_at: Date
  used_at: Date | null
  user_agent: Generated<string>
  ip: Generated<string>
}
