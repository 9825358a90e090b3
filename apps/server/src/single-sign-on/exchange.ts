// The end of a single sign-on: a one-use token becomes a sign-in, and a password links an identity to its account.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { noteSignIn, startLogin } from '../auth/service.ts'
import { verifyPassword } from '../auth/password-check.ts'
import { type SigningIn, secondFactorRequired } from '../auth/pending-sign-ins.ts'
import { requireLocalSignIn } from '../auth/ways-in.ts'
import type { Origin } from '../context.ts'
import { networkKey } from '../platform/network/address.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { noteAccountEvent } from '../users/activity.ts'
import { getAccount, lockAccount } from '../users/service.ts'
import { applyGroups, linkIdentity } from './accounts.ts'
import type { SingleSignOnDeps } from './deps.ts'
import { holdProposal } from './identities/store.ts'
import { deleteProposal, findProposal, findSettings, takeExchange } from './store.ts'

/** Beginning of one-use tokens, which tells them from those of accounts. */
export const EXCHANGE_PREFIX = 'exchange_'

/** Where existing clients send a one-use token from, as a bearer. */
export interface BearerUse {
  /** Hash of the browser's cookie; undefined when none was sent. */
  readonly browser: Buffer | undefined
  /** True for a page of this server, whose browser sends the cookie if it has one. */
  readonly isOwnPage: boolean
}

/**
 * Uses a one-use token up.
 * @param from hash of the cookie of the browser, which must be that of the sign-in, or the use as a bearer
 * @throws {BowlineError} UNAUTHORIZED when it is unknown, used, expired or of another browser or network; MFA_REQUIRED as
 *   a SecondFactorRequired, which uses the token up too
 */
export async function exchangeAccount(
  deps: SingleSignOnDeps,
  token: string,
  from: Buffer | BearerUse,
  origin: Origin,
): Promise<SigningIn> {
  const by = { tokenHash: hashOf(token), now: new Date(deps.clock.now()) }
  const row = Buffer.isBuffer(from)
    ? await takeExchange(deps.db, { ...by, browserHash: from })
    : await takeBearer(deps, by, from, origin)
  if (!row) return fail('UNAUTHORIZED')
  const account = await getAccount(deps.db, row.user_id)
  if (account?.status !== 'confirmed' || account.tokenEpoch !== row.token_epoch) return fail('UNAUTHORIZED')
  const { provider_session: session, proven_at: provenAt } = row
  const signingIn = { ...account, providerSession: session ?? undefined, provenAt: provenAt ?? undefined }
  const { provider_second_factor: isDoneThere } = await findSettings(deps.db)
  if (account.mfaEnabled && !isDoneThere) throw await secondFactorRequired(deps, signingIn)
  await noteSignIn(deps, account, origin)
  return signingIn
}

/**
 * Takes a one-use token that has come as a bearer. Its address may have been seen or passed on: the network of the sign-in
 * and the cookie of its browser have to fit, and one that does not fit is used up all the same.
 * @returns undefined when it is unknown, used, expired or of another place
 */
async function takeBearer(
  { db, clock }: SingleSignOnDeps,
  by: { readonly tokenHash: Buffer; readonly now: Date },
  { browser, isOwnPage }: BearerUse,
  origin: Origin,
) {
  return db.transaction().execute(async (inner) => {
    const row = await takeExchange(inner, { ...by, browserHash: undefined })
    if (!row) return undefined
    const isNear = row.network === null || row.network === networkKey(origin.source)
    const isSame = browser ? browser.equals(row.browser_hash) : !isOwnPage
    if (isNear && isSame) return row
    const details = { network: isNear, browser: isSame }
    await noteAccountEvent(inner, clock.now(), { user: row.user_id, kind: 'exchange.refuse', origin, details })
    return undefined
  })
}

/** Exchanges a one-use token for the token of a program. @throws {BowlineError} as {@link exchangeAccount} */
export async function exchangeToken(
  deps: SingleSignOnDeps,
  token: string,
  use: BearerUse,
  origin: Origin,
): Promise<string> {
  const account = await exchangeAccount(deps, token, use, origin)
  return (await startLogin(deps, account, origin)).token
}

/**
 * Links the proposed identity to the account with its address, whose password is the proof.
 * @throws {BowlineError} UNAUTHORIZED for an unknown or expired token, or that of another browser; BAD_CREDENTIALS;
 *   LOCKED_OUT; LOCAL_SIGN_IN_DISABLED; MFA_REQUIRED as a SecondFactorRequired: the identity is linked when the second step is passed
 */
export async function linkByPassword(
  deps: SingleSignOnDeps,
  { token, password }: { readonly token: string; readonly password: string },
  browser: Buffer,
  origin: Origin,
): Promise<SigningIn> {
  await requireLocalSignIn(deps)
  const by = { tokenHash: hashOf(token), browserHash: browser, now: new Date(deps.clock.now()) }
  const proposal = (await findProposal(deps.db, by)) ?? fail('UNAUTHORIZED')
  const account = await getAccount(deps.db, proposal.user_id)
  if (account?.status !== 'confirmed') return fail('UNAUTHORIZED')
  const guess = { identifier: account.username, account, password }
  if (!(await verifyPassword(deps, guess, origin))) fail('BAD_CREDENTIALS')
  const providerSession = proposal.provider_session ?? undefined
  // The password was the first factor: what a provider did before does not replace the second.
  if (account.mfaEnabled) {
    const until = new Date(deps.clock.now() + LIMITS.pendingSignInMinutes * 60_000)
    if (!(await holdProposal(deps.db, by.tokenHash, until))) fail('UNAUTHORIZED')
    throw await secondFactorRequired(deps, { ...account, providerSession }, by.tokenHash)
  }
  await deps.db.transaction().execute(async (db) => {
    const current = await lockAccount(db, account.id)
    // It may have got a second factor or another password since.
    if (current?.tokenEpoch !== account.tokenEpoch || current.mfaEnabled) fail('UNAUTHORIZED')
    if (!(await deleteProposal(db, by.tokenHash))) fail('UNAUTHORIZED')
    if (!(await linkIdentity({ ...deps, db }, proposal, account, { by: 'password', origin }))) fail('UNAUTHORIZED')
  })
  await applyGroups(deps, { ...proposal, provider: proposal.provider_id }, account)
  await noteSignIn(deps, account, origin)
  return { ...account, authMethods: [...new Set([...account.authMethods, proposal.kind])], providerSession }
}
