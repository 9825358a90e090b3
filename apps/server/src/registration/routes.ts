// Routes of registration, recovery and the end of accounts.
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { fail } from '@bowline/contract/errors'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Actor, RecordingRemoval, TenantContext } from '../context.ts'
import { type RequestContext, type Route, originOf, publicRoute, userRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import type { MailRequests } from './mail-requests.ts'
import { removeOwnAccount, resetPassword } from './own-account.ts'
import { type RegistrationDeps, confirm, register } from './service.ts'

/** Whoever opens the link of a mail. */
const NEWCOMER = { kind: 'system', name: 'registration' } as const

/**
 * @param signIns rate limit per source: a registration costs a hash, as a sign-in does
 * @param contextOf context of any namespace: an account leaves all of them
 * @param removal for namespaces that the account has deleted, which go with it
 */
export function registrationRoutes(
  deps: RegistrationDeps,
  requests: MailRequests,
  signIns: RateLimiter,
  contextOf: (tenant: TenantId, actor: Actor, source: string) => TenantContext,
  removal: RecordingRemoval,
): Route[] {
  const { users } = operations
  const limit = ({ source }: RequestContext): void => {
    if (!signIns.take(sourceKey(source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
  }
  return [
    publicRoute(users.register, (context, { body }) => {
      limit(context)
      return register(deps, body, originOf(context))
    }),
    publicRoute(users.resendEmail, (context, { body }) => requests.add('confirm', body.username, originOf(context))),
    publicRoute(users.recoverPassword, (context, { body }) =>
      requests.add('recover', body.username, originOf(context)),
    ),
    publicRoute(users.resetPassword, (context, { params, body }) => {
      limit(context)
      return resetPassword(deps, params.uid, body, originOf(context))
    }),
    publicRoute(users.validateAccount, (context, { query }) => {
      limit(context)
      const { source } = context
      return confirm(deps, (tenant) => contextOf(tenant, NEWCOMER, source), query, originOf(context))
    }),
    userRoute(users.remove, (context) => {
      const { actor, source } = context
      const leaving = { contextOf: (tenant: TenantId) => contextOf(tenant, actor, source), removal }
      return removeOwnAccount(deps, leaving, actor, originOf(context))
    }),
  ]
}
