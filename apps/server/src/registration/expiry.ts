// Removal of what nobody has confirmed in time.
import { type BudgetDeps, forgetBudgets } from '../budgets/service.ts'
import { forgetTokens } from '../users/account-tokens.ts'
import { deleteExpired } from './store.ts'

/** Removes expired registrations, tokens of mails, and budgets whose period is over. */
export async function forgetRegistrations(deps: BudgetDeps): Promise<void> {
  await deleteExpired(deps.db, new Date(deps.clock.now()))
  await forgetTokens(deps.db, deps.clock)
  await forgetBudgets(deps)
}
