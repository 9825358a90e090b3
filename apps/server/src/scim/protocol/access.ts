// Tokens of providers: which namespace a request is for. They open nothing but SCIM.
import { fail } from '@bowline/contract/errors'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { FastifyRequest } from 'fastify'
import type { Actor, TenantContext } from '../../context.ts'
import { bearerToken } from '../../http/auth.ts'
import type { RequestLimits } from '../../http/limits/request-limits.ts'
import { plainAddress } from '../../platform/network/address.ts'
import { hashOf } from '../../platform/secrets/hash.ts'
import type { ScimContext, ScimDeps } from '../context.ts'
import { type PresentedToken, findTokenByHash, touchToken } from '../store.ts'

export const TOKEN_PREFIX = 'scim_'
const TOKEN_LENGTH = 64
/** The last use is written this seldom. */
const TOUCH_MS = 60_000

export interface ScimAccess extends ScimDeps {
  readonly tenantContext: (tenant: TenantId, actor: Actor, source: string) => TenantContext
  readonly requestLimits: Pick<RequestLimits, 'mayGuess' | 'accepted' | 'refused'>
  /** Rate limit per token. */
  readonly requests: RateLimiter
}

export interface Admitted {
  readonly ctx: ScimContext
  readonly token: PresentedToken
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * @param tenant of the path
 * @throws {BowlineError} UNAUTHORIZED; NOT_FOUND for another namespace than the token's; NAMESPACE_DISABLED;
 *   PROVISIONING_OFF; TOO_MANY_REQUESTS
 */
export async function admit(deps: ScimAccess, request: FastifyRequest, tenant: string): Promise<Admitted> {
  const source = plainAddress(request.ip)
  const text = bearerToken({ request } as Parameters<typeof bearerToken>[0]) ?? ''
  deps.requestLimits.mayGuess(source, text)
  const isToken = text.startsWith(TOKEN_PREFIX) && text.length <= TOKEN_LENGTH
  const token = isToken ? await findTokenByHash(deps.system, hashOf(text)) : undefined
  if (!token) {
    deps.requestLimits.refused(source)
    return fail('UNAUTHORIZED')
  }
  deps.requestLimits.accepted(text)
  if (!deps.requests.take(token.id)) fail('TOO_MANY_REQUESTS', { seconds: 1 })
  if (tenant.toLowerCase() !== token.tenant) fail('NOT_FOUND', { what: 'The namespace' })
  if (token.inDisabledNamespace) fail('NAMESPACE_DISABLED')
  if (!token.enabled) fail('PROVISIONING_OFF')
  const ctx = deps.tenantContext(token.tenant, { kind: 'system', name: `SCIM token ${token.name}` }, source)
  const now = ctx.clock.now()
  if (token.usedAt === null || now - token.usedAt.getTime() >= TOUCH_MS) {
    await touchToken(deps.system, token.id, new Date(now))
  }
  return { ctx: { ...ctx, creator: token.creator }, token, at: now }
}
