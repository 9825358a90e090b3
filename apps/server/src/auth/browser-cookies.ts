// Cookies of browser sessions, which scripts cannot read and other origins cannot use, and the sign-in that sets them.
import { randomBytes } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { type RequestContext, originOf } from '../http/route.ts'
import type { SigningIn } from './pending-sign-ins.ts'
import { type AuthDeps, startBrowserSession } from './service.ts'
import { noteDevice } from './sign-ins/devices.ts'

/**
 * Completes the sign-in of a browser, after its last factor: starts the session and sets its cookies.
 * @param how.isProven true if a second factor was used: it counts as a fresh proof
 * @throws {BowlineError} BAD_CREDENTIALS when the account's tokens were revoked meanwhile
 */
export async function signInBrowser(
  deps: AuthDeps,
  context: RequestContext,
  account: SigningIn,
  how: { readonly isProven?: boolean } = {},
): Promise<UserAuth> {
  const origin = originOf(context)
  const session = await startBrowserSession(deps, account, origin, how)
  const known = context.request.cookies[deviceCookie(context)]
  const device = known && /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url')
  await noteDevice(deps, account, origin, device)
  setRefreshCookie(context, session.refreshToken)
  void context.reply.setCookie(deviceCookie(context), device, {
    ...cookieOptions(context),
    maxAge: LIMITS.deviceCookieDays * 86_400,
  })
  return session.auth
}

/**
 * Refuses requests caused by another site's page. Browsers send Origin or Sec-Fetch-Site with these; programs that send
 * neither have no cookie of ours to misuse.
 */
export function requireOwnOrigin({ request }: RequestContext): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') fail('ORIGIN_REFUSED')
  if (request.headers.origin === undefined) return
  const origin = URL.parse(request.headers.origin)
  // Compared in normal form: default port removed, lower case.
  const own = origin && URL.parse(`${origin.protocol}//${request.host}`)
  if (!own || own.host !== origin.host) fail('ORIGIN_REFUSED')
}

/** Browsers require Secure for the `__Host-` prefix, so it is for https only. */
export function cookieName({ request }: RequestContext): string {
  return request.protocol === 'https' ? '__Host-bowline' : 'bowline'
}

function cookieOptions({ request }: RequestContext) {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: request.protocol === 'https' } as const
}

export function setRefreshCookie(context: RequestContext, value: string): void {
  void context.reply.setCookie(cookieName(context), value, {
    ...cookieOptions(context),
    maxAge: LIMITS.refreshDays * 86_400,
  })
}

export function clearRefreshCookie(context: RequestContext): void {
  void context.reply.clearCookie(cookieName(context), cookieOptions(context))
}

function deviceCookie(context: RequestContext): string {
  return `${cookieName(context)}-device`
}
