// Sign-in with a passkey, alone or after the password, and fresh proofs. A passkey that has verified its user is two
// factors: what the person has, and what they know or are.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { RequestOptions, SignedChallenge } from '@bowline/contract/schemas/passkey'
import { noteFreshProof, signInOf } from '../auth/fresh-proofs.ts'
import { type SigningIn, findPendingSignIn, linkWaiting, takePendingSignIn } from '../auth/pending-sign-ins.ts'
import { noteProvenSignIn } from '../auth/service.ts'
import { requireLocalSignIn } from '../auth/ways-in.ts'
import type { Origin, UserActor } from '../context.ts'
import { type Account, getAccount } from '../users/service.ts'
import type { Purpose } from './challenges.ts'
import type { RelyingParty } from './relying-party.ts'
import { type PasskeyRow, listOf } from './store.ts'
import { type PasskeyDeps, countUse, verifyUse } from './use.ts'

/**
 * Challenge for a sign-in.
 * @param token of a sign-in that waits for its second factor; undefined: the passkey is the only factor, and the
 *   answer is the same whoever asks
 * @throws {BowlineError} PASSKEY_REFUSED when no sign-in waits under the token; NOT_FOUND when its account has no passkey
 */
export async function signInOptions(
  deps: PasskeyDeps,
  party: RelyingParty,
  token: string | undefined,
): Promise<RequestOptions> {
  const challenge = deps.challenges.issue(purposeOf(token))
  if (token === undefined) return request(party, challenge, 'required', [])
  const account = (await findPendingSignIn(deps, token)) ?? fail('PASSKEY_REFUSED')
  return request(party, challenge, 'preferred', await requirePasskeys(deps, account))
}

/**
 * Signs in with a passkey.
 * @param input.token as {@link signInOptions} has it
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED; PASSKEY_REFUSED, whatever is wrong; EMAIL_UNCONFIRMED
 */
export async function signInWithPasskey(
  deps: PasskeyDeps,
  party: RelyingParty,
  { token, credential }: { readonly token?: string | undefined; readonly credential: SignedChallenge },
  origin: Origin,
): Promise<SigningIn> {
  if (token === undefined) await requireLocalSignIn(deps)
  const pending = token === undefined ? undefined : ((await findPendingSignIn(deps, token)) ?? fail('PASSKEY_REFUSED'))
  const attempt = { party, purpose: purposeOf(token), credential, user: pending?.id, needsUser: token === undefined }
  const use = (await verifyUse(deps, attempt, origin)) ?? fail('PASSKEY_REFUSED')
  const used = await deps.db.transaction().execute(async (db) => {
    const current = await countUse(db, deps, use, origin)
    if (!current || token === undefined) return current && { current, taken: { proposal: undefined } }
    const taken = current.tokenEpoch === pending?.tokenEpoch ? await takePendingSignIn(db, token) : undefined
    return taken && { current, taken }
  })
  if (!used || used.current.status === 'disabled') return fail('PASSKEY_REFUSED')
  // Only whoever holds a passkey of the account learns that its address is unconfirmed.
  if (used.current.status !== 'confirmed') fail('EMAIL_UNCONFIRMED')
  const account = (await linkWaiting(deps, used.taken, used.current, origin)) ?? fail('PASSKEY_REFUSED')
  await noteProvenSignIn(deps, account, origin)
  return { ...account, providerSession: pending?.providerSession }
}

function purposeOf(token: string | undefined): Purpose {
  return token === undefined ? { kind: 'sign-in' } : { kind: 'second-step', pending: token }
}

/** Challenge for a fresh proof. @throws {BowlineError} NOT_FOUND when the account has no passkey */
export async function proveOptions(deps: PasskeyDeps, party: RelyingParty, actor: UserActor): Promise<RequestOptions> {
  const account = (await getAccount(deps.db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
  const verification = needsUser(account) ? 'required' : 'preferred'
  return request(party, deps.challenges.issue(proofOf(actor)), verification, await requirePasskeys(deps, account))
}

/**
 * Records a fresh proof of the caller's sign-in.
 * @throws {BowlineError} PASSKEY_INVALID, whatever is wrong; NOT_FOUND
 */
export async function prove(
  deps: PasskeyDeps,
  party: RelyingParty,
  actor: UserActor,
  credential: SignedChallenge,
  origin: Origin,
): Promise<void> {
  const account = (await getAccount(deps.db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
  const attempt = { party, purpose: proofOf(actor), credential, user: actor.id, needsUser: needsUser(account) }
  const use = (await verifyUse(deps, attempt, origin)) ?? fail('PASSKEY_INVALID')
  await deps.db.transaction().execute(async (db) => {
    if (!(await countUse(db, deps, use, origin))) fail('PASSKEY_INVALID')
    await noteFreshProof({ ...deps, db }, actor.id, signInOf(actor))
  })
}

const proofOf = (actor: UserActor): Purpose => ({ kind: 'prove', user: actor.id, signIn: signInOf(actor) })

/** Without a password the passkey is all there is. */
const needsUser = (account: Account): boolean => account.passwordHash === undefined

async function requirePasskeys({ db }: PasskeyDeps, account: Account): Promise<PasskeyRow[]> {
  const rows = await listOf(db, account.id)
  return rows.length ? rows : fail('NOT_FOUND', { what: 'A passkey of the account' })
}

function request(
  party: RelyingParty,
  challenge: string,
  userVerification: RequestOptions['userVerification'],
  rows: readonly PasskeyRow[],
): RequestOptions {
  return {
    challenge,
    rpId: party.id,
    timeout: LIMITS.passkeyChallengeMinutes * 60_000,
    userVerification,
    allowCredentials: rows.map((row) => descriptorOf(row)),
  }
}

/** A registered credential, as browsers know it. */
export function descriptorOf(row: PasskeyRow) {
  return {
    id: row.credential_id.toString('base64url'),
    type: 'public-key' as const,
    transports: [...row.transports],
  }
}
