// Routes of people's own accounts.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { Actor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type Route, type UserContext, originOf, userRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import { listActivity } from './activity.ts'
import { type AccountChanges, updateAccount } from './changes.ts'
import type { AccountDeps } from './service.ts'

export interface UserRouteDeps extends Omit<AccountDeps, 'requireProof'> {
  /** Refuses people who have not used their second factor lately. @throws {BowlineError} FRESH_PROOF_REQUIRED */
  readonly requireProof: (actor: Actor) => Promise<void>
  /** System connection. */
  readonly db: Kysely<Schema>
}

/** @param signIns rate limit of password checks per source */
export function userRoutes(deps: UserRouteDeps, signIns: RateLimiter): Route[] {
  const { users } = operations
  const { db } = deps
  /** The older calls name the account in the path; it can only be the caller's own. */
  const requireSelf = (own: string, id: string): void => {
    if (own !== id) fail('NOT_YOURS')
  }
  const change = (context: UserContext, changes: AccountChanges): Promise<void> => {
    // A password check costs as much as at sign-in.
    const isJudged = changes.current_password !== undefined && changes.current_password !== ''
    if (isJudged && !signIns.take(sourceKey(context.source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
    const proven = { ...deps, requireProof: () => deps.requireProof(context.actor) }
    return updateAccount(db, proven, context.actor.id, changes, originOf(context))
  }
  return [
    userRoute(users.update, (context, { body }) => change(context, body)),
    userRoute(users.updateData, (context, { params, body }) => {
      requireSelf(context.actor.id, params.id)
      return change(context, body)
    }),
    userRoute(users.updatePassword, (context, { params, body }) => {
      requireSelf(context.actor.id, params.id)
      const { current_password, new_password: password } = body
      return change(context, { current_password, password })
    }),
    userRoute(users.listActivity, ({ actor }, { query }) => {
      const { page, per_page: limit } = query
      return listActivity(db, actor.id, { limit, offset: (page - 1) * limit })
    }),
  ]
}
