// The link of an identity that has waited for the second step of its account's sign-in.
import type { Origin } from '../../context.ts'
import type { Account } from '../../users/service.ts'
import { type GroupDeps, type LinkDeps, applyGroups, linkIdentity } from '../accounts.ts'
import { takeProposal } from './store.ts'

/**
 * Links a proposed identity, and gives the roles of its groups.
 * @param proposal hash of the proposal's token
 * @param account whose second step was passed
 * @returns the account as it is then; undefined when the proposal is used, has expired or is for another account, or its
 *   identity belongs to another one
 */
export async function linkProposed<A extends Account>(
  deps: LinkDeps & GroupDeps,
  proposal: Buffer,
  account: A,
  origin: Origin,
): Promise<A | undefined> {
  const linked = await deps.db.transaction().execute(async (db) => {
    const taken = await takeProposal(db, { hash: proposal, user: account.id, now: new Date(deps.clock.now()) })
    if (!taken || !(await linkIdentity({ ...deps, db }, taken, account, { by: 'password', origin }))) return undefined
    return taken
  })
  if (!linked) return undefined
  await applyGroups(deps, { ...linked, provider: linked.provider_id }, account)
  // Nothing else is read anew: what ends the tokens of the account must go on to end this sign-in.
  return { ...account, authMethods: [...new Set([...account.authMethods, linked.kind])] }
}
