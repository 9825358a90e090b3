// Kysely types of the tables of passkeys: a part of schema.ts, with its rules.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface PasskeysTable {
  id: string
  user_id: UserId
  credential_id: Buffer
  /** COSE key. */
  public_key: Buffer
  sign_count: Generated<number>
  transports: Generated<readonly string[]>
  aaguid: string
  multi_device: boolean
  backed_up: boolean
  name: string
  created_at: Date
  last_used_at: Date | null
}

export interface UsedChallengesTable {
  /** SHA-256 of the challenge, 32 bytes. */
  hash: Buffer
  expires_at: Date
}
