// Routes of passkeys.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { requireOwnOrigin, signInBrowser } from '../auth/browser-cookies.ts'
import { startLogin } from '../auth/service.ts'
import { type RequestContext, type Route, originOf, publicRoute, userRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import { removePassword, setOwnPassword } from './password.ts'
import type { RelyingParties, RelyingParty } from './relying-party.ts'
import { listPasskeys, register, registerOptions, remove, rename } from './service.ts'
import { prove, proveOptions, signInOptions, signInWithPasskey } from './sign-in.ts'
import type { PasskeyDeps } from './use.ts'

export interface PasskeyRouteDeps extends PasskeyDeps {
  readonly parties: RelyingParties
  /** Rate limit per source of calls that need no credential. */
  readonly attempts: RateLimiter
  /** Rate limit of password checks per source. */
  readonly signIns: RateLimiter
}

export function passkeyRoutes(deps: PasskeyRouteDeps): Route[] {
  const { passkeys } = operations
  const { parties } = deps
  const partyOf = ({ request }: RequestContext): RelyingParty => parties.require(request.host)
  const publicParty = (context: RequestContext): RelyingParty => {
    requireBudget(deps.attempts, context)
    return partyOf(context)
  }
  return [
    publicRoute(passkeys.signInOptions, async (context, { body }) =>
      signInOptions(deps, publicParty(context), body.token),
    ),
    publicRoute(passkeys.login, async (context, { body }) => {
      const account = await signInWithPasskey(deps, publicParty(context), body, originOf(context))
      return startLogin(deps, account, originOf(context), { isProven: true })
    }),
    publicRoute(passkeys.createSession, async (context, { body }) => {
      requireOwnOrigin(context)
      const account = await signInWithPasskey(deps, publicParty(context), body, originOf(context))
      return signInBrowser(deps, context, account, { isProven: true })
    }),
    userRoute(passkeys.list, ({ actor }) => listPasskeys(deps.db, actor.id)),
    userRoute(passkeys.registerOptions, async (context, { body }) => {
      const party = partyOf(context)
      // A password check costs as much as at sign-in.
      if (body.current_password) requireBudget(deps.signIns, context)
      return registerOptions(deps, party, context.actor, body.current_password, originOf(context))
    }),
    userRoute(passkeys.register, async (context, { body }) =>
      register(deps, partyOf(context), context.actor, body, originOf(context)),
    ),
    userRoute(passkeys.rename, ({ actor }, { params, body }) => rename(deps, actor, params.id, body.name)),
    userRoute(passkeys.remove, (context, { params }) =>
      remove(deps, parties.find(context.request.host), context.actor, params.id, originOf(context)),
    ),
    userRoute(passkeys.proveOptions, async (context) => proveOptions(deps, partyOf(context), context.actor)),
    userRoute(passkeys.prove, async (context, { body }) =>
      prove(deps, partyOf(context), context.actor, body.credential, originOf(context)),
    ),
    userRoute(passkeys.removePassword, (context) => removePassword(deps, context.actor, originOf(context))),
    userRoute(passkeys.setPassword, (context, { body }) =>
      setOwnPassword(deps, context.actor, body.password, originOf(context)),
    ),
  ]
}

function requireBudget(limiter: RateLimiter, context: RequestContext): void {
  if (!limiter.take(sourceKey(context.source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
}
