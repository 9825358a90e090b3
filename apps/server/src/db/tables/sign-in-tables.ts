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

export interface SignInsTable {
  /** Family of a browser session, or the login that the tokens of `POST /api/login` share. */
  id: string
  user_id: UserId
  kind: 'browser' | 'program' | 'token'
  created_at: Date
  last_seen: Date
  expires_at: Date
  source: Generated<string>
  user_agent: Generated<string>
  /** When its credential was proven; null: when it began. */
  proven_at: Date | null
}

/** Sessions at OpenID providers that sign-ins came of. */
export interface ProviderSessionsTable {
  id: string
  provider_id: string
  user_id: UserId
  subject: string
  /** Null where ID tokens have none. */
  sid: string | null
  /** SHA-256 of the cookie of the browser, 32 bytes. */
  browser_hash: Buffer
  /** ID token, sealed with `BOWLINE_SECRET_KEY`; null for one that is too large for an address. */
  sealed: Buffer | null
  /** Null until the last factor is proven. */
  sign_in: string | null
  created_at: Date
}

export interface KnownDevicesTable {
  user_id: UserId
  /** SHA-256 of the device cookie, or of program and network; 32 bytes. */
  device_hash: Buffer
  first_seen: Date
  last_seen: Date
}

export interface ProgramCodesTable {
  /** SHA-256 of the program's secret, 32 bytes. */
  device_hash: Buffer
  /** SHA-256 of the code that people type, 32 bytes. */
  user_hash: Buffer
  name: string
  source: string
  /** The /24 or /48 of the source. */
  network: GeneratedAlways<string>
  /** The /24 or /32 of the source. */
  wide_network: GeneratedAlways<string>
  user_agent: Generated<string>
  created_at: Date
  expires_at: Date
  polled_at: Date | null
  user_id: UserId | null
  token_epoch: number | null
  approved: boolean | null
}

export interface ProgramCodeGuessesTable {
  user_id: UserId
  count: number
  since: Date
}

export interface PendingSignInsTable {
  /** SHA-256 of the token, 32 bytes. */
  token_hash: Buffer
  user_id: UserId
  token_epoch: number
  expires_at: Date
  /** SHA-256 of the token of the identity that is linked by the second step; null for none. */
  proposal_hash: Buffer | null
  /** Null unless it came of an OpenID provider. */
  provider_session: string | null
}

export interface FreshProofsTable {
  /** Family of a browser session, or the login of a token. */
  sign_in: string
  user_id: UserId
  at: Date
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
