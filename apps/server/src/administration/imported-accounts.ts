// Accounts that come from another server with the hash of their password. Only the operator of the server makes them: whoever
// could hand in hashes could sign in as the people whom they name.
import { auditInstance } from '../audit/service.ts'
import { type ForeignHash, storedForm } from '../auth/password-hashes/foreign-hashes.ts'
import type { Ids } from '../platform/ids.ts'
import { completeRegistration, createUser, findAccountByEmail, isUsernameTaken } from '../users/service.ts'
import { type AdministrationDeps, type By, auditOrigin } from './deps.ts'

/** Validated by the schemas of the contract. */
export interface ImportedAccount {
  readonly username: string
  readonly name: string
  readonly email: string
  readonly password_hash: ForeignHash
  /** -1 for any number. */
  readonly max_namespaces: number
}

export interface ImportedAccountDeps extends Pick<AdministrationDeps, 'system' | 'clock'> {
  readonly ids: Ids
  /** Makes one of our hashes. */
  readonly hash: (text: string) => Promise<string>
}

/** `exists`: an account has the address, and nothing of it is changed. */
export type ImportedAccountOutcome =
  | { readonly outcome: 'created' }
  | { readonly outcome: 'exists'; readonly username: string }
  | { readonly outcome: 'refused'; readonly reason: string }

/**
 * Makes an account; somebody who was invited under its address becomes it. Nothing of an account that is here is changed, so that
 * twice is the same as once. It never administers the server.
 * @param isDryRun only tells what would be done
 */
export async function importAccount(
  deps: ImportedAccountDeps,
  by: By,
  account: ImportedAccount,
  isDryRun: boolean,
): Promise<ImportedAccountOutcome> {
  const { system, clock, ids } = deps
  const passwordHash = isDryRun ? '' : await storedForm(account.password_hash, deps.hash)
  return system.transaction().execute(async (db): Promise<ImportedAccountOutcome> => {
    const { username, name, email, max_namespaces: maxNamespaces } = account
    const known = await findAccountByEmail(db, email)
    if (known && known.status !== 'invited') return { outcome: 'exists', username: known.username }
    if (await isUsernameTaken(db, username)) {
      return { outcome: 'refused', reason: `Another account has the username ${username}.` }
    }
    if (isDryRun) return { outcome: 'created' }
    const made = { ids, clock, origin: by.origin }
    const person = { name, username, email, passwordHash, maxNamespaces, emailMarketing: false }
    const id = known
      ? await completeRegistration(db, made, person)
      : await createUser(db, made, { ...person, status: 'confirmed' })
    if (id === undefined) return { outcome: 'exists', username: '' }
    await auditInstance(db, auditOrigin(by), 'account.import', id, { username, email })
    return { outcome: 'created' }
  })
}
