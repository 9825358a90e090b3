// Accounts that administrators of the server create for others.
import type { Input } from '@bowline/contract/operation'
import type { administration } from '@bowline/contract/operations/instance/administration'
import type { DescribedPerson } from '@bowline/contract/schemas/instance/administration'
import { auditInstance } from '../audit/service.ts'
import type { Ids } from '../platform/ids.ts'
import { lockForAdministration } from '../users/administrators.ts'
import { createUser, requireOtherThanNames, requireOwnName } from '../users/service.ts'
import { type AdministrationDeps, type By, administratorOf, auditOrigin } from './deps.ts'
import { describePerson } from './people.ts'

export interface NewPersonDeps extends AdministrationDeps {
  readonly ids: Ids
  readonly passwords: { hash(password: string, source?: string): Promise<string> }
}

/**
 * Creates an account that can be signed in to at once, as `bowline user create` does: the administrator answers for the
 * address.
 * @throws {BowlineError} CONFLICT with the taken fields; INVALID_INPUT for a password that equals a name, or a username
 *   that looks like another address; INSTANCE_ADMIN_REQUIRED when the caller is no administrator any more
 */
export async function createPerson(
  deps: NewPersonDeps,
  by: By,
  { username, email, password }: Input<typeof administration.createPerson>['body'],
): Promise<DescribedPerson> {
  const { system, ids, clock, passwords } = deps
  requireOtherThanNames(password, [username, email])
  requireOwnName(username, email)
  // Outside of the transaction: hashes wait for their turn.
  const passwordHash = await passwords.hash(password, by.origin.source)
  const id = await system.transaction().execute(async (db) => {
    const administrator = administratorOf(by)
    if (administrator.id !== undefined) await lockForAdministration(db, administrator, administrator.id, false)
    const account = { name: username, username, email, passwordHash, status: 'confirmed' as const, maxNamespaces: -1 }
    const made = await createUser(db, { ids, clock, origin: by.origin }, account)
    await auditInstance(db, auditOrigin(by), 'account.create', made, { username, email })
    return made
  })
  return describePerson(deps, id)
}
