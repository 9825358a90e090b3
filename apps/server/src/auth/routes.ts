// Routes of sign-in.
import { BowlineError, fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { DeviceActor, TenantContext } from '../context.ts'
import { type Account, type SessionEnding, getAccount, signOutEverywhere } from '../users/service.ts'
import { bearerToken } from '../http/auth.ts'
import { type RequestContext, type Route, deviceRoute, originOf, publicRoute, userRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { clearRefreshCookie, cookieName, requireOwnOrigin, setRefreshCookie, signInBrowser } from './browser-cookies.ts'
import { signLogin } from './login-key.ts'
import { NO_SECOND_STEP, SecondFactorRequired } from './pending-sign-ins.ts'
import {
  type AuthDeps,
  type Credentials,
  authenticate,
  endBrowserSession,
  endSignIn,
  refreshBrowserSession,
  sameLife,
  signIn,
  startLogin,
  switchNamespace,
} from './service.ts'

/**
 * @param accounts ends all sessions of an account
 * @param signIns rate limit per source: each attempt costs some milliseconds of a core
 */
export function authRoutes(deps: AuthDeps, accounts: SessionEnding, signIns: RateLimiter): Route[] {
  const { login, createSession, refreshSession, deleteSession, endSessions, getUser } = operations.auth
  /** Sets both headers on every response to a sign-in, failures included. */
  async function signInWithHeaders(context: RequestContext, body: Credentials): Promise<Account> {
    void context.reply.header('x-account-lockout', '0').headers(NO_SECOND_STEP)
    if (!signIns.take(sourceKey(context.source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
    try {
      return await signIn(deps, body, originOf(context))
    } catch (error) {
      if (error instanceof BowlineError && error.code === 'LOCKED_OUT') {
        void context.reply.header('x-account-lockout', String(error.details['lockedUntil']))
      }
      if (error instanceof SecondFactorRequired) void context.reply.headers(error.headers)
      throw error
    }
  }
  return [
    publicRoute(login, async (context, { body }) =>
      startLogin(deps, await signInWithHeaders(context, body), originOf(context)),
    ),
    publicRoute(createSession, async (context, { body }) => {
      requireOwnOrigin(context)
      const account = await signInWithHeaders(context, body)
      return signInBrowser(deps, context, account)
    }),
    publicRoute(refreshSession, async (context) => {
      requireOwnOrigin(context)
      const value = context.request.cookies[cookieName(context)] ?? fail('UNAUTHORIZED')
      try {
        const session = await refreshBrowserSession(deps, value, originOf(context))
        setRefreshCookie(context, session.refreshToken)
        return session.auth
      } catch (error) {
        if (error instanceof BowlineError && error.code === 'UNAUTHORIZED') clearRefreshCookie(context)
        throw error
      }
    }),
    publicRoute(deleteSession, async (context) => {
      requireOwnOrigin(context)
      const value = context.request.cookies[cookieName(context)]
      if (value) await endBrowserSession(deps, value, originOf(context))
      const token = bearerToken(context)
      if (token) await endSignIn(deps, token, originOf(context))
      clearRefreshCookie(context)
    }),
    userRoute(endSessions, async (context) => {
      await signOutEverywhere(deps.db, accounts, context.actor.id, originOf(context))
      clearRefreshCookie(context)
    }),
    userRoute(getUser, async ({ actor }) => {
      const account = (await getAccount(deps.db, actor.id)) ?? fail('NOT_FOUND', { what: 'The user' })
      return authenticate(deps, account, { tenant: actor.tenant, ...sameLife(actor) })
    }),
    userRoute(operations.auth.switchNamespace, ({ actor }, { params }) => switchNamespace(deps, actor, params.tenant)),
  ]
}

/** Route of existing agents that ask the platform to authorise a login. */
export function loginKeyRoutes(
  secret: SecretKey,
  contextOf: (device: DeviceActor, source: string) => TenantContext,
): Route[] {
  return [
    deviceRoute(operations.auth.signChallenge, async ({ actor, source }, { body }) => ({
      signature: await signLogin(contextOf(actor, source), secret, actor, body),
    })),
  ]
}
