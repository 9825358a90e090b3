// Sign-ins that have passed the password and wait for their second factor. The token of one is the only thing that the
// browser gets: it names no account, is stored as a hash, and works once.
import { BowlineError, fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Ids } from '../platform/ids.ts'
import { type Account, getAccount } from '../users/service.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { attachSignIn, deleteSignIn } from './sign-ins/store.ts'
import { deletePending, deletePendingOf, findPending, insertPendingSignIn } from './second-step-store.ts'

export interface PendingSignInDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly ids: Ids
}

/** Ways to finish a sign-in: a code of an authenticator app, a passkey, a recovery code. */
export type SecondStep = 'code' | 'passkey' | 'recovery-code'

/** Tells what an account can finish its sign-in with. */
export interface SecondSteps {
  readonly secondSteps: (user: UserId) => Promise<readonly SecondStep[]>
}

/** MFA_REQUIRED with the token that finishes the sign-in; the token is in no message and no detail. */
export class SecondFactorRequired extends BowlineError {
  readonly #token: string
  readonly #steps: readonly SecondStep[]

  constructor(token: string, steps: readonly SecondStep[]) {
    super('MFA_REQUIRED')
    this.#token = token
    this.#steps = steps
  }

  /** Headers of the answer: the token, and what it can be used with. */
  get headers(): Record<keyof typeof NO_SECOND_STEP, string> {
    return { 'x-mfa-token': this.#token, 'x-mfa-methods': this.#steps.join(', ') }
  }
}

/** The same headers where no second step is needed. */
export const NO_SECOND_STEP = { 'x-mfa-token': '', 'x-mfa-methods': '' } as const

/** An account whose sign-in is not complete, and the session at a provider that it came of. */
export interface SigningIn extends Account {
  readonly providerSession?: string | undefined
  /** When the person proved a credential to a provider; undefined: just now, to this server. */
  readonly provenAt?: Date | undefined
}

/**
 * Starts the second step of an account's sign-in.
 * @param proposal hash of the token of an identity that is linked when the step is passed
 */
export async function secondFactorRequired(
  deps: PendingSignInDeps & SecondSteps,
  account: SigningIn,
  proposal?: Buffer,
): Promise<SecondFactorRequired> {
  // Existing clients expect a UUID; randomUUID has 122 random bits.
  const token = deps.ids.uuid()
  const expires_at = new Date(deps.clock.now() + LIMITS.pendingSignInMinutes * 60_000)
  await insertPendingSignIn(deps.db, {
    token_hash: hashOf(token),
    user_id: account.id,
    token_epoch: account.tokenEpoch,
    expires_at,
    proposal_hash: proposal ?? null,
    provider_session: account.providerSession ?? null,
  })
  return new SecondFactorRequired(token, await deps.secondSteps(account.id))
}

/** Account whose sign-in waits under the token; undefined when it is unknown, expired, used, or the account changed. */
export async function findPendingSignIn(deps: PendingSignInDeps, token: string): Promise<SigningIn | undefined> {
  const row = await findPending(deps.db, hashOf(token), new Date(deps.clock.now()))
  const account = row && (await getAccount(deps.db, row.user_id))
  if (account?.status !== 'confirmed' || account.tokenEpoch !== row?.token_epoch) return undefined
  return { ...account, providerSession: row.provider_session ?? undefined }
}

/** Ends the sign-ins of an account that wait: its factors have changed. @param db inside the caller's transaction */
export function endPendingSignIns(db: Kysely<Schema>, user: UserId): Promise<void> {
  return deletePendingOf(db, user)
}

/** A sign-in whose token is used up. */
export interface TakenSignIn {
  /** Hash of the token of an identity that waited for the second step. */
  readonly proposal: Buffer | undefined
}

/** Uses a token up. @returns undefined when another call has used it */
export async function takePendingSignIn(db: Kysely<Schema>, token: string): Promise<TakenSignIn | undefined> {
  const row = await deletePending(db, hashOf(token))
  return row && { proposal: row.proposal_hash ?? undefined }
}

/** Links a proposed identity to its account, in a transaction of its own. */
export interface ProposalLinking {
  /** @returns the account as it is then; undefined when the proposal has expired or the identity belongs to another */
  linkProposed<A extends Account>(proposal: Buffer, account: A, origin: Origin): Promise<A | undefined>
}

/** Dependencies of the second step that other parts provide. */
export interface SecondStepParts extends ProposalLinking, SecondSteps {}

/**
 * Links the identity that waited for the second step, if one did.
 * @returns the account as it is then; undefined when the identity cannot be linked any more
 */
export async function linkWaiting<A extends Account>(
  deps: ProposalLinking,
  { proposal }: TakenSignIn,
  account: A,
  origin: Origin,
): Promise<A | undefined> {
  return proposal ? deps.linkProposed(proposal, account, origin) : account
}

/**
 * Binds a sign-in that has just begun to the session at a provider that it came of.
 * @throws {BowlineError} BAD_CREDENTIALS when the provider has ended that
 */
export async function attachToProvider(
  { db }: Pick<PendingSignInDeps, 'db'>,
  { id: user, providerSession: session }: SigningIn,
  signIn: string,
): Promise<void> {
  if (session === undefined || (await attachSignIn(db, session, signIn))) return
  await deleteSignIn(db, user, signIn)
  fail('BAD_CREDENTIALS')
}
