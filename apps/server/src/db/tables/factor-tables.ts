// Kysely types of the tables of the second factor: a part of schema.ts, with its rules.
import type { UserId } from '@bowline/contract/schemas/common'

export interface AuthenticatorsTable {
  id: string
  user_id: UserId
  name: string
  /** Secret in base32, sealed under the name `authenticator:<id>`. */
  sealed: Buffer
  /** Last accepted step: Unix time divided by 30 s. */
  last_step: number
  created_at: Date
  /** Null until its first use after it was added. */
  last_used_at: Date | null
}

export interface IssuedSecretsTable {
  /** SHA-256 of the secret in base32, 32 bytes. */
  secret_hash: Buffer
  user_id: UserId
  /** HMAC-SHA-256 of each recovery code. */
  code_hashes: readonly Buffer[]
  expires_at: Date
}

export interface RecoveryCodesTable {
  user_id: UserId
  /** HMAC-SHA-256, 32 bytes. */
  code_hash: Buffer
  used_at: Date | null
}

export interface FactorResetsTable {
  user_id: UserId
  /** HMAC-SHA-256, 32 bytes. */
  main_hash: Buffer
  recovery_hash: Buffer
  created_at: Date
  expires_at: Date
}

export interface FactorGuessesTable {
  scope: string
  /** SHA-256 of the account or the typed name; zeros for all subjects of a source. */
  subject: Buffer
  /** '' for all sources. */
  source: string
  guesses: number
  expires_at: Date
}

export interface FactorTables {
  authenticators: AuthenticatorsTable
  issued_secrets: IssuedSecretsTable
  recovery_codes: RecoveryCodesTable
  factor_resets: FactorResetsTable
  factor_guesses: FactorGuessesTable
}
