// Kysely types of the tables of registration, recovery and budgets: a part of schema.ts, with its rules.
import type { UserId } from '@bowline/contract/schemas/common'

export interface RegistrationsTable {
  id: string
  /** SHA-256 of the token of the newest mail, 32 bytes. */
  token_hash: Buffer
  name: string
  /** Lower-case; not reserved. */
  username: string
  /** Lower-case; not proven. */
  email: string
  password_hash: string
  email_marketing: boolean
  created_at: Date
  expires_at: Date
}

export interface MailRequestsTable {
  id: string
  kind: 'confirm' | 'recover'
  /** Username or address as typed, in lower case. */
  identifier: string
  /** '' for the server itself. */
  source: string
  created_at: Date
}

export interface AccountTokensTable {
  user_id: UserId
  purpose: 'recovery' | 'address'
  /** SHA-256 of the token, 32 bytes. */
  token_hash: Buffer
  token_epoch: number
  expires_at: Date
}

export interface RecoveryTokensTable {
  /** SHA-256 of the token, 32 bytes. */
  token_hash: Buffer
  user_id: UserId
  token_epoch: number
  expires_at: Date
}

export interface BudgetsTable {
  name: string
  /** SHA-256 of what the budget belongs to, 32 bytes. */
  key: Buffer
  spent: number
  ends_at: Date
}
