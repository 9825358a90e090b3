// Linking an identity to an existing account by a mail to the account's address, for people who know no password of it.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { SigningIn } from '../auth/pending-sign-ins.ts'
import { noteSignIn } from '../auth/service.ts'
import { requireLocalSignIn } from '../auth/ways-in.ts'
import type { Origin } from '../context.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { type Account, getAccount, lockAccount } from '../users/service.ts'
import { applyGroups, linkIdentity } from './accounts.ts'
import type { SingleSignOnDeps } from './deps.ts'
import { startProof, takeProof } from './proofs-store.ts'
import { findProposal } from './store.ts'

/**
 * Mails the link, once for each proposal.
 * @param browser hash of the browser's cookie
 * @returns false when only the password can be the proof: with a mailbox alone nobody gets around a second factor or
 *   the provider of an account without a password
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED; UNAUTHORIZED for an unknown or expired proposal, that of another browser, and a second mail
 */
export async function sendProof(
  deps: SingleSignOnDeps,
  token: string,
  browser: Buffer,
  { source }: Origin,
): Promise<boolean> {
  await requireLocalSignIn(deps)
  const { db, ids, mails } = deps
  const now = deps.clock.now()
  const by = { tokenHash: hashOf(token), browserHash: browser, now: new Date(now) }
  const proposal = (await findProposal(db, by)) ?? fail('UNAUTHORIZED')
  const account = await ownerOf(deps, proposal.user_id)
  if (!mailboxIsProof(account) || !mails.isSending) return false
  const secret = ids.secret(32)
  const expiresAt = new Date(now + LIMITS.identityProofMinutes * 60_000)
  await db.transaction().execute(async (inner) => {
    const { issuer } = (await startProof(inner, by, { hash: hashOf(secret), expiresAt })) ?? fail('UNAUTHORIZED')
    const values = {
      name: account.name || account.username || '',
      provider: issuer,
      link: mails.link('/sign-in/link', { proof: secret }),
      hours: LIMITS.identityProofMinutes / 60,
    }
    await mails.add(inner, { kind: 'link-identity', to: account.email, user: account.id, source, values })
  })
  return true
}

/**
 * Links the identity to the account whose owner has opened the mailed link.
 * @param browser hash of the browser's cookie: that of another browser uses nothing up
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED; UNAUTHORIZED for an unknown, used or expired link, and that of another browser
 */
export async function linkByMail(
  deps: SingleSignOnDeps,
  token: string,
  browser: Buffer,
  origin: Origin,
): Promise<SigningIn> {
  await requireLocalSignIn(deps)
  const by = { hash: hashOf(token), browserHash: browser, now: new Date(deps.clock.now()) }
  const { account, proposal } = await deps.db.transaction().execute(async (db) => {
    const inner = { ...deps, db }
    const taken = (await takeProof(db, by)) ?? fail('UNAUTHORIZED')
    await lockAccount(db, taken.user_id)
    const owner = await ownerOf(inner, taken.user_id)
    // It may have got a second factor since.
    const linked = mailboxIsProof(owner) && (await linkIdentity(inner, taken, owner, { by: 'mail', origin }))
    if (!linked) fail('UNAUTHORIZED')
    return { account: owner, proposal: taken }
  })
  await applyGroups(deps, { ...proposal, provider: proposal.provider_id }, account)
  await noteSignIn(deps, account, origin)
  const current = (await getAccount(deps.db, account.id)) ?? account
  return { ...current, providerSession: proposal.provider_session ?? undefined }
}

/** As for a new password: a mailbox neither stands for a second factor nor for the provider of an account without one. */
function mailboxIsProof({ mfaEnabled, authMethods }: Account): boolean {
  return !mfaEnabled && authMethods.includes('local')
}

async function ownerOf({ db }: Pick<SingleSignOnDeps, 'db'>, id: Account['id']): Promise<Account> {
  const account = await getAccount(db, id)
  return account?.status === 'confirmed' ? account : fail('UNAUTHORIZED')
}
