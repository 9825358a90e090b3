// Budgets of what may be repeated only so often: by a source, for an address, in a namespace. Counted in the database,
// so that they hold over all nodes and restarts.
import type { Clock } from '@bowline/base/clock'
import { fail } from '@bowline/contract/errors'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { countUse, deleteEnded, usesOf } from './store.ts'

export interface BudgetDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
}

export interface Budget {
  readonly name: string
  /** Uses within the period. */
  readonly limit: number
  readonly hours: number
}

/**
 * Uses a budget once. Call it outside transactions that may be rolled back: refused attempts count too.
 * @param key what the budget belongs to; stored as a hash
 * @throws {BowlineError} TOO_MANY_REQUESTS
 */
export async function spend({ db, clock }: BudgetDeps, budget: Budget, key: string): Promise<void> {
  const now = clock.now()
  const period = { now: new Date(now), endsAt: new Date(now + budget.hours * 3_600_000) }
  const spent = await countUse(db, { name: budget.name, key: hashOf(key) }, period)
  if (spent > budget.limit) fail('TOO_MANY_REQUESTS', { seconds: budget.hours * 3_600 })
}

/**
 * Checks a budget without using it: where only failures are counted, a right guess after the last must not pass either.
 * @throws {BowlineError} TOO_MANY_REQUESTS when all of it has been used
 */
export async function requireLeft({ db, clock }: BudgetDeps, budget: Budget, key: string): Promise<void> {
  const spent = await usesOf(db, { name: budget.name, key: hashOf(key) }, new Date(clock.now()))
  if (spent >= budget.limit) fail('TOO_MANY_REQUESTS', { seconds: budget.hours * 3_600 })
}

/** Removes budgets whose period is over. */
export function forgetBudgets({ db, clock }: BudgetDeps): Promise<void> {
  return deleteEnded(db, new Date(clock.now()))
}
