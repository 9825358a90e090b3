// Addresses that identity providers send browsers to, and our metadata. They are no calls of the API: a form of another
// site's page is expected here, and the answer is a redirect.
import { BowlineError, fail } from '@bowline/contract/errors'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { plainAddress, sourceKey } from '../platform/network/address.ts'
import { isDatabaseAway } from '../http/database-errors.ts'
import { knownBrowser, markBrowser } from './browser.ts'
import { ownAddresses } from './deps.ts'
import { endByProvider } from './openid/back-channel.ts'
import { type OpenidDeps, finishOpenid } from './openid/service.ts'
import { type Outcome, pageOf } from './outcome.ts'
import { ownKeys } from './saml/keys.ts'
import { writeMetadata } from './saml/metadata.ts'
import { consumeAnswer } from './saml/service.ts'
import { findSettings } from './store.ts'

/** 64 KiB as base64 in a form, with room for escapes. */
const FORM_BYTES = 140_000
/** A logout token has few claims. */
const TOKEN_BYTES = 16_384
const WEEK_MS = 7 * 86_400_000

/**
 * @param limits.attempts sign-ins per source
 * @param limits.logouts messages of providers per source: all sign-ins of a company may end at once, and no message comes
 *   twice
 */
export function serveSingleSignOn(
  server: FastifyInstance,
  deps: OpenidDeps,
  { attempts, logouts }: { readonly attempts: RateLimiter; readonly logouts: RateLimiter },
): void {
  const finish = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (origin: { source: string; userAgent: string }) => Promise<Outcome>,
  ): Promise<FastifyReply> => {
    const source = plainAddress(request.ip)
    if (!attempts.take(sourceKey(source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
    const outcome = await work({ source, userAgent: request.headers['user-agent'] ?? '' }).catch((error: unknown) => {
      const isBusy = error instanceof BowlineError && error.code === 'TOO_MANY_REQUESTS'
      if (isBusy || isDatabaseAway(error)) throw error
      deps.log.error('single-sign-on.failed', { err: error })
      return { kind: 'refused', why: 'answer' } as const
    })
    return reply.redirect(pageOf(outcome), 302)
  }
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const form = 'application/x-www-form-urlencoded'
    scope.addContentTypeParser(form, { parseAs: 'string', bodyLimit: FORM_BYTES }, (_, body, done) => done(null, body))
    scope.post('/api/user/saml/auth', { bodyLimit: FORM_BYTES }, (request, reply) =>
      finish(request, reply, async (origin) => {
        const fields = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
        const [response, second] = fields.getAll('SAMLResponse')
        if (response === undefined || second !== undefined) return { kind: 'refused', why: 'answer' }
        const browser = { request, reply }
        const closed = new AbortController()
        reply.raw.once('close', () => closed.abort())
        return consumeAnswer(deps, {
          response,
          relayState: fields.get('RelayState') ?? undefined,
          browser: knownBrowser(browser),
          markBrowser: () => markBrowser(browser),
          origin,
          closed: closed.signal,
        })
      }),
    )
  })
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const form = 'application/x-www-form-urlencoded'
    scope.addContentTypeParser(form, { parseAs: 'string', bodyLimit: TOKEN_BYTES }, (_, body, done) => done(null, body))
    scope.post('/api/user/openid/:id/backchannel-logout', { bodyLimit: TOKEN_BYTES }, async (request, reply) => {
      const source = plainAddress(request.ip)
      if (!logouts.take(sourceKey(source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
      const fields = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
      const [token, second] = fields.getAll('logout_token')
      const { id: provider = '' } = request.params as { readonly id?: string }
      if (!z.uuid().safeParse(provider).success) fail('NOT_FOUND', { what: 'The provider' })
      const origin = { source, userAgent: request.headers['user-agent'] ?? '' }
      const isDone =
        token !== undefined && second === undefined && (await endByProvider(deps, { provider, token, origin }))
      void reply.header('cache-control', 'no-store')
      if (isDone) return reply.code(200).send()
      // OpenID Connect Back-Channel Logout 1.0, section 2.8.
      return reply.code(400).send({ error: 'invalid_request', error_description: 'The logout token is not valid.' })
    })
  })
  server.get<{ Params: { name: string } }>('/api/user/openid/callback/:name', (request, reply) =>
    finish(request, reply, (origin) => {
      const query = new URLSearchParams(request.url.split('?').slice(1).join('?'))
      const { name } = request.params
      return finishOpenid(deps, { name, query, browser: knownBrowser({ request, reply }), origin })
    }),
  )
  server.get('/api/user/saml/metadata', async (_, reply) => {
    const { entityId, consumerUrl } = ownAddresses(deps)
    const keys = await ownKeys(deps)
    const text = writeMetadata({
      entityId,
      consumerUrl,
      certificates: keys.map(({ certificate }) => certificate),
      signsRequests: (await findSettings(deps.db)).sign_requests,
      validUntil: deps.clock.now() + WEEK_MS,
    })
    return reply.type('application/samlmetadata+xml').send(text)
  })
}
