// OpenID Connect Back-Channel Logout 1.0: a provider tells this server directly that a session there has ended, and the
// sign-ins that came of it end too.
import { createHash } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { jwtVerify } from 'jose'
import { z } from 'zod'
import { endSignInsOfProvider } from '../../auth/sign-ins/service.ts'
import type { Origin } from '../../context.ts'
import { type OpenidProviderRow, findProvider, insertUsedAssertion } from '../store.ts'
import { reasonOf } from './client.ts'
import type { OpenidDeps } from './service.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Difference between the clocks, in seconds. */
const SKEW = 60
/** Oldest token that is accepted, in seconds: its id is kept for as long. */
const LIFE = 300
/** With a secret or without a signature nobody else is told from the provider. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Claims of a logout token (section 2.4); the library checks issuer, audience and times. */
const LogoutToken = z
  .object({
    iat: z.number(),
    jti: z.string().min(1).max(256),
    sub: z.string().min(1).max(512).optional(),
    sid: z.string().min(1).max(256).optional(),
    events: z.looseObject({ [EVENT]: z.looseObject({}) }),
    // An ID token has one: it must not pass for a logout token.
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined)

/** True if the token was in order; what it names may have ended before. */
export interface LogoutRequest {
  readonly provider: string
  readonly token: string
  readonly origin: Origin
}

/**
 * Ends the sign-ins of a session, or of all sessions of a subject.
 * @returns false for a token that is not in order, or was used before
 * @throws {BowlineError} NOT_FOUND for an unknown provider
 */
export async function endByProvider(
  deps: OpenidDeps,
  { provider: id, token, origin }: LogoutRequest,
): Promise<boolean> {
  const provider = (await findProvider(deps.db, id)) ?? fail('NOT_FOUND', { what: 'The provider' })
  let claims: z.output<typeof LogoutToken>
  try {
    claims = await verify(deps, provider, token)
  } catch (error) {
    deps.log.warn('openid.logout-refused', { provider: provider.name, reason: reasonOf(error), source: origin.source })
    return false
  }
  const hash = createHash('sha256').update(`logout\n${provider.id}\n${claims.jti}`).digest()
  const until = new Date((claims.iat + LIFE + 2 * SKEW) * 1_000)
  return deps.db.transaction().execute(async (db) => {
    if (!(await insertUsedAssertion(db, hash, until))) return false
    const ended = { provider: provider.id, subject: claims.sub, sid: claims.sid }
    const count = await endSignInsOfProvider({ ...deps, db }, ended, origin)
    deps.log.info('openid.logout', { provider: provider.name, signIns: count })
    return true
  })
}

/** @throws {Error} of the library or the schema, for anything that does not fit */
async function verify(deps: OpenidDeps, provider: OpenidProviderRow, token: string) {
  const config = await deps.clients.of(provider)
  const { payload, protectedHeader } = await jwtVerify(token, await deps.clients.keysOf(provider), {
    issuer: config.serverMetadata().issuer,
    audience: provider.client_id,
    algorithms: ALGORITHMS,
    maxTokenAge: LIFE,
    clockTolerance: SKEW,
    currentDate: new Date(deps.clock.now()),
    requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
  })
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
  if (type !== undefined && type !== 'logout+jwt' && type !== 'jwt') throw new Error('it is another kind of token')
  return LogoutToken.parse(payload)
}
