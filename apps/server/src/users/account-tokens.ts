// Tokens in mails about an account: each works once, is stored as a hash, and ends with the tokens of its sign-ins.
import type { Clock } from '@bowline/base/clock'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Ids } from '../platform/ids.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import {
  addRecoveryToken,
  deleteExpiredTokens,
  deleteTokensOf,
  putToken,
  takeRecoveryToken,
  takeToken,
} from './token-store.ts'

export type TokenPurpose = 'recovery' | 'address'

interface Owner {
  readonly id: UserId
  readonly tokenEpoch: number
}

/**
 * Makes a token; an earlier one of the same purpose ends.
 * @param db system connection
 * @param hours life of the token
 */
export async function issueToken(
  db: Kysely<Schema>,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  account: Owner,
  lasting: { readonly purpose: 'address'; readonly hours: number },
): Promise<string> {
  const token = ids.secret(32)
  await storeToken(db, clock, account, { ...lasting, token })
  return token
}

/**
 * Stores a token that is on its way. An earlier one for a new address ends; one for a new password does not, because
 * anybody may ask for those.
 */
export async function storeToken(
  db: Kysely<Schema>,
  clock: Clock,
  account: Owner,
  { purpose, hours, token }: { readonly purpose: TokenPurpose; readonly hours: number; readonly token: string },
): Promise<void> {
  const row = {
    user_id: account.id,
    token_hash: hashOf(token),
    token_epoch: account.tokenEpoch,
    expires_at: new Date(clock.now() + hours * 3_600_000),
  }
  await (purpose === 'recovery' ? addRecoveryToken(db, row) : putToken(db, { ...row, purpose }))
}

/** Uses a token up. @returns its account; undefined if it is unknown, used, expired or was ended */
export function useToken(
  db: Kysely<Schema>,
  clock: Clock,
  purpose: TokenPurpose,
  token: string,
): Promise<UserId | undefined> {
  const [hash, now] = [hashOf(token), new Date(clock.now())]
  return purpose === 'recovery' ? takeRecoveryToken(db, hash, now) : takeToken(db, { purpose, hash }, now)
}

/** Ends every such token of an account. */
export function endTokensOf(db: Kysely<Schema>, user: UserId): Promise<void> {
  return deleteTokensOf(db, user)
}

/** Removes expired tokens, and new addresses whose token has ended. @param db system connection */
export function forgetTokens(db: Kysely<Schema>, clock: Clock): Promise<void> {
  return deleteExpiredTokens(db, new Date(clock.now()))
}
