// Routes of sign-in. Browser sessions live in a cookie that scripts cannot read and other origins cannot use.
import { BowlineError, fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { DeviceActor, TenantContext } from '../context.ts'
import { type Account, type SessionEnding, signOutEverywhere } from '../users/service.ts'
import { bearerToken } from '../http/auth.ts'
import { type RequestContext, type Route, deviceRoute, originOf, publicRoute, userRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { signLogin } from './login-key.ts'
import {
  type AuthDeps,
  type Credentials,
  authenticate,
  describeUser,
  endBrowserSession,
  endSignIn,
  refreshBrowserSession,
  signIn,
  startBrowserSession,
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
    void context.reply.header('x-account-lockout', '0').header('x-mfa-token', '')
    if (!signIns.take(sourceKey(context.source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
    try {
      return await signIn(deps, body, originOf(context))
    } catch (error) {
      if (error instanceof BowlineError && error.code === 'LOCKED_OUT') {
        void context.reply.header('x-account-lockout', String(error.details['lockedUntil']))
      }
      throw error
    }
  }
  return [
    publicRoute(login, async (context, { body }) => authenticate(deps, await signInWithHeaders(context, body))),
    publicRoute(createSession, async (context, { body }) => {
      requireOwnOrigin(context)
      const account = await signInWithHeaders(context, body)
      const session = await startBrowserSession(deps, account, originOf(context))
      setRefreshCookie(context, session.refreshToken)
      return session.auth
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
    userRoute(getUser, ({ actor }) => describeUser(deps, actor)),
    userRoute(operations.auth.switchNamespace, ({ actor }, { params }) => switchNamespace(deps, actor, params.tenant)),
  ]
}

/** Route of existing agents that ask the platform to authorise a login. */
export function loginKeyRoutes(
  secret: SecretKey,
  contextOf: (device: DeviceActor, source: string) => TenantContext,
): Route[] {
  return [
    deviceRoute(operations.auth.signChallenge, async ({ actor, source }, { body }) => {
      // Anybody who sees what members see of a device can get a token of it; only one signed for by its key counts.
      if (!actor.proven) fail('UNAUTHORIZED')
      return { signature: await signLogin(contextOf(actor, source), secret, body) }
    }),
  ]
}

/**
 * Refuses requests caused by another site's page. Browsers send Origin or Sec-Fetch-Site with these; programs that send
 * neither have no cookie of ours to misuse.
 */
function requireOwnOrigin({ request }: RequestContext): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') fail('ORIGIN_REFUSED')
  if (request.headers.origin === undefined) return
  const origin = URL.parse(request.headers.origin)
  // Compared in normal form: default port removed, lower case.
  const own = origin && URL.parse(`${origin.protocol}//${request.host}`)
  if (!own || own.host !== origin.host) fail('ORIGIN_REFUSED')
}

/** Browsers require Secure for the `__Host-` prefix, so it is for https only. */
function cookieName({ request }: RequestContext): string {
  return request.protocol === 'https' ? '__Host-bowline' : 'bowline'
}

function cookieOptions({ request }: RequestContext) {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: request.protocol === 'https' } as const
}

function setRefreshCookie(context: RequestContext, value: string): void {
  void context.reply.setCookie(cookieName(context), value, {
    ...cookieOptions(context),
    maxAge: LIMITS.refreshDays * 86_400,
  })
}

function clearRefreshCookie(context: RequestContext): void {
  void context.reply.clearCookie(cookieName(context), cookieOptions(context))
}
