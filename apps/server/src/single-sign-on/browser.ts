// The browser that a single sign-on belongs to, and where it is sent.
import { randomBytes } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import { cookieName } from '../auth/browser-cookies.ts'
import type { RequestContext } from '../http/route.ts'
import { hashOf } from '../platform/secrets/hash.ts'

type Browser = Pick<RequestContext, 'request' | 'reply'>

/** Hash of the browser's cookie; undefined when it has none. */
export function knownBrowser({ request }: Browser): Buffer | undefined {
  const value = request.cookies[nameOf(request)]
  return value && /^[\w-]{43}$/.test(value) ? hashOf(value) : undefined
}

/**
 * Marks the browser, so that only it can finish what it begins. The cookie has to come along with a form that the page
 * of another site posts, for which browsers demand https.
 * @param minutes life of the cookie
 * @returns the hash of the cookie
 */
export function markBrowser({ request, reply }: Browser, minutes: number = LIMITS.identityProposalMinutes): Buffer {
  const known = request.cookies[nameOf(request)]
  const value = known && /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url')
  const isSecure = request.protocol === 'https'
  void reply.setCookie(nameOf(request), value, {
    httpOnly: true,
    path: '/',
    secure: isSecure,
    ...(isSecure ? { sameSite: 'none' as const } : {}),
    maxAge: minutes * 60,
  })
  return hashOf(value)
}

/** A path of the console, or '' for anything that could lead elsewhere. */
export function ownPath(text: string | undefined): string {
  if (text === undefined || text.length > 512 || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return ''
  const here = 'http://here.invalid'
  return URL.parse(text, here)?.origin === here ? text : ''
}

function nameOf(request: RequestContext['request']): string {
  return `${cookieName({ request } as RequestContext)}-sso`
}
