// The use of a passkey: which account a signed challenge belongs to, and that it counts once.
import type { UserId } from '@bowline/contract/schemas/common'
import type { SignedChallenge } from '@bowline/contract/schemas/passkey'
import type { Kysely } from 'kysely'
import type { AuthDeps } from '../auth/service.ts'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { noteAccountEvent } from '../users/activity.ts'
import { type Account, type SessionEnding, lockAccount } from '../users/service.ts'
import { challengeIn, type Use, verifySigned } from './ceremony.ts'
import type { Challenges, Purpose } from './challenges.ts'
import type { RelyingParty } from './relying-party.ts'
import { type PasskeyRow, findCredential, insertUsedChallenge, touchPasskey } from './store.ts'

export interface PasskeyDeps extends AuthDeps, Pick<SessionEnding, 'endSessions'> {
  readonly mails: MailQueue
  readonly challenges: Challenges
}

/** A caller's attempt to use a passkey. */
export interface Attempt {
  readonly party: RelyingParty
  readonly purpose: Purpose
  readonly credential: SignedChallenge
  /** Account that the passkey must be of; undefined: the passkey itself tells. */
  readonly user: UserId | undefined
  /** The authenticator must have verified its user: the passkey is the only factor. */
  readonly needsUser: boolean
}

/** A correctly signed challenge, which has not been counted yet. */
export interface VerifiedUse extends Use {
  readonly passkey: PasskeyRow
  readonly challenge: string
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

/** Verifies an attempt; undefined when anything is wrong. Unknown passkeys cost the same work. */
export async function verifyUse(
  { db, challenges, log }: PasskeyDeps,
  { party, purpose, credential, user, needsUser }: Attempt,
  origin: Origin,
): Promise<VerifiedUse | undefined> {
  const challenge = challengeIn(credential.response.clientDataJSON)
  const endsAt = challenges.endOf(challenge, purpose)
  const row = await findCredential(db, Buffer.from(credential.id, 'base64url'))
  const passkey = row && isOf(row, user, credential.response.userHandle ?? undefined) ? row : undefined
  const verdict = await verifySigned(party, challenge, credential, { publicKey: passkey?.public_key, needsUser })
  if (endsAt === undefined || passkey === undefined || 'reason' in verdict) {
    const reason = endsAt === undefined ? 'the challenge is unknown or expired' : 'reason' in verdict && verdict.reason
    log.warn('passkey.refused', { user: row?.user_id ?? '', source: origin.source, reason })
    return undefined
  }
  return { ...verdict.value, passkey, challenge, endsAt }
}

/** The user handle is the account's id; without a named account the browser must send it. */
function isOf(row: PasskeyRow, user: UserId | undefined, handle: string | undefined): boolean {
  if (user !== undefined && row.user_id !== user) return false
  return handle === undefined ? user !== undefined : handle === handleOf(row.user_id)
}

/** User handle of an account, base64url. */
export function handleOf(user: UserId): string {
  return Buffer.from(user).toString('base64url')
}

/**
 * Counts a use.
 * @param db inside the caller's transaction; holds the account's lock afterwards
 * @returns the account; undefined when it, the passkey or the challenge is gone
 */
export async function countUse(
  db: Kysely<Schema>,
  { clock }: Pick<PasskeyDeps, 'clock'>,
  use: VerifiedUse,
  origin: Origin,
): Promise<Account | undefined> {
  const { passkey, signCount, backedUp } = use
  const account = await lockAccount(db, passkey.user_id)
  if (!account || !(await useChallenge(db, use.challenge, use.endsAt))) return undefined
  if (!(await touchPasskey(db, passkey.id, { at: new Date(clock.now()), signCount, backedUp }))) return undefined
  await noteCounter(db, clock.now(), use, origin)
  return account
}

/** Uses a challenge up. @returns false when it was before */
export function useChallenge(db: Kysely<Schema>, challenge: string, endsAt: number): Promise<boolean> {
  return insertUsedChallenge(db, hashOf(challenge), new Date(endsAt))
}

/**
 * Notes a counter that did not grow. It is no reason to refuse: passkeys of password managers count differently on each
 * device or not at all, and a copy that was used first would lock the owner out, not the thief.
 */
async function noteCounter(
  db: Kysely<Schema>,
  now: number,
  { passkey, signCount }: VerifiedUse,
  origin: Origin,
): Promise<void> {
  const counts = signCount > 0 || passkey.sign_count > 0
  if (passkey.multi_device || !counts || signCount > passkey.sign_count) return
  const details = { name: passkey.name, before: passkey.sign_count, after: signCount }
  await noteAccountEvent(db, now, { user: passkey.user_id, kind: 'passkey.counter', origin, details })
}
