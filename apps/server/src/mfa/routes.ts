// Routes of the second factor.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { requireOwnOrigin, signInBrowser } from '../auth/browser-cookies.ts'
import { startLogin } from '../auth/service.ts'
import { type RequestContext, type Route, originOf, publicRoute, userRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import type { MfaDeps } from './deps.ts'
import { requestReset, resetFactors } from './reset.ts'
import {
  describeFactors,
  describeProof,
  disableFactors,
  enableFactor,
  generateFactor,
  prove,
  removeFactor,
  renameFactor,
  renewRecoveryCodes,
} from './service.ts'
import { passSecondStep, recover } from './sign-in.ts'

/** @param signIns rate limit of sign-ins per source, which the calls without a credential share */
export function mfaRoutes(deps: MfaDeps, signIns: RateLimiter): Route[] {
  const { mfa } = operations
  const requireRate = ({ source }: RequestContext): void => {
    if (!signIns.take(sourceKey(source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
  }
  return [
    publicRoute(mfa.authenticate, async (context, { body: { token, code } }) => {
      requireRate(context)
      const account = await passSecondStep(deps, token, { code }, originOf(context))
      return startLogin(deps, account, originOf(context), { isProven: true })
    }),
    publicRoute(mfa.finishSession, async (context, { body: { token, ...typed } }) => {
      requireOwnOrigin(context)
      requireRate(context)
      const account = await passSecondStep(deps, token, typed, originOf(context))
      return signInBrowser(deps, context, account, { isProven: true })
    }),
    publicRoute(mfa.recover, async (context, { body }) => {
      requireRate(context)
      const { account, expiresAt } = await recover(deps, body, originOf(context))
      void context.reply.header('x-expires-at', String(expiresAt))
      return startLogin(deps, account, originOf(context), { isProven: true })
    }),
    publicRoute(mfa.requestReset, async (context, { body }) => {
      requireRate(context)
      await requestReset(deps, body.identifier, originOf(context))
    }),
    publicRoute(mfa.reset, async (context, { params, body }) => {
      requireRate(context)
      const account = await resetFactors(deps, params['user-id'], body, originOf(context))
      return startLogin(deps, account, originOf(context))
    }),
    userRoute(mfa.get, ({ actor }) => describeFactors(deps, actor.id)),
    userRoute(mfa.generate, (context) => generateFactor(deps, context.actor, originOf(context))),
    userRoute(mfa.enable, (context, { body }) => enableFactor(deps, context.actor, body, originOf(context))),
    userRoute(mfa.disable, (context, { body }) => disableFactors(deps, context.actor, body, originOf(context))),
    userRoute(mfa.rename, (context, { params, body }) =>
      renameFactor(deps, context.actor.id, { ...params, ...body }, originOf(context)),
    ),
    userRoute(mfa.remove, (context, { params }) => removeFactor(deps, context.actor, params.id, originOf(context))),
    userRoute(mfa.renewRecoveryCodes, async (context) => ({
      recovery_codes: await renewRecoveryCodes(deps, context.actor, originOf(context)),
    })),
    userRoute(mfa.prove, (context, { body }) => prove(deps, context.actor, body, originOf(context))),
    userRoute(mfa.getProof, ({ actor }) => describeProof(deps, actor)),
  ]
}
