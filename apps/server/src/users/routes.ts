// Routes of people's own accounts.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type Route, memberRoute, userRoute } from '../http/route.ts'
import { getRecording, setRecording } from '../namespaces/service.ts'
import { type AccountDeps, updateAccount } from './service.ts'

export interface UserRouteDeps extends AccountDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
}

export function userRoutes(deps: UserRouteDeps): Route[] {
  const { users } = operations
  const { db } = deps
  /** The older calls name the account in the path; it can only be the caller's own. */
  const requireSelf = (own: string, id: string): void => {
    if (own !== id) fail('NOT_YOURS')
  }
  return [
    userRoute(users.update, ({ actor }, { body }) => updateAccount(db, deps, actor.id, body)),
    userRoute(users.updateData, ({ actor }, { params, body }) => {
      requireSelf(actor.id, params.id)
      return updateAccount(db, deps, actor.id, body)
    }),
    userRoute(users.updatePassword, ({ actor }, { params, body }) => {
      requireSelf(actor.id, params.id)
      const { current_password, new_password: password } = body
      return updateAccount(db, deps, actor.id, { current_password, password })
    }),
    memberRoute(users.getSecurity, (ctx) => getRecording(ctx)),
    memberRoute(users.setSecurity, (ctx, { body }) => setRecording(ctx, body.session_record)),
  ]
}
