// Assembles single sign-on: its dependencies, the rate limit of sign-ins, and the user of a one-use token.
import { operations } from '@bowline/contract/operations'
import type { Operation } from '@bowline/contract/operation'
import type { TenantId } from '@bowline/contract/schemas/common'
import { SecondFactorRequired } from '../../auth/pending-sign-ins.ts'
import { type AuthDeps, userOfToken } from '../../auth/service.ts'
import type { ServerConfig } from '../../config.ts'
import type { FastifyInstance } from 'fastify'
import type { Origin, TenantContext, UserActor } from '../../context.ts'
import { type RequestContext, originOf } from '../../http/route.ts'
import { knownBrowser } from '../../single-sign-on/browser.ts'
import { serveSingleSignOn } from '../../single-sign-on/endpoints.ts'
import { EXCHANGE_PREFIX, exchangeToken } from '../../single-sign-on/exchange.ts'
import { SourceLimiter, egressRules } from '../budgets.ts'
import { createOpenidClients } from '../../single-sign-on/openid/client.ts'
import { createSamlReader } from '../../single-sign-on/saml/reader.ts'
import type { OpenidDeps } from '../../single-sign-on/openid/service.ts'

/** Sign-ins per second and source. */
const SIGN_INS = { perSecond: 10, burst: 100 }
/** Sign-outs that providers report, per second and source: a check of a signature each. */
const LOGOUTS = { perSecond: 50, burst: 5_000 }

/** True if a sign-in makes people members. People of other customers must not join without being asked. */
export function joinsAtSignIn({ BOWLINE_EDITION: edition }: ServerConfig['settings']): boolean {
  return edition !== 'cloud'
}

/** @param contextOf context of any namespace: a sign-in makes people members where a provider has prepared it */
export function assembleSingleSignOn(
  auth: AuthDeps,
  config: ServerConfig,
  contextOf: (tenant: TenantId) => TenantContext,
  onEnd: (ending: () => Promise<void>) => void,
  publicOrigin: () => string,
) {
  const { secretKey, settings } = config
  const egress = egressRules(settings, auth.log)
  const { clock } = auth
  const clients = createOpenidClients({ clock, secretKey, egress })
  const joins = joinsAtSignIn(settings)
  const samlReader = createSamlReader(clock)
  onEnd(() => samlReader.close())
  const deps: OpenidDeps = { ...auth, secretKey, publicOrigin, egress, clients, samlReader, contextOf, joins }
  const signIns = new SourceLimiter(clock, config.isExemptSource, SIGN_INS)
  const logouts = new SourceLimiter(clock, config.isExemptSource, LOGOUTS)

  /** Existing clients send the one-use token to the call that tells who is signed in, and to no other. */
  async function userOfExchange(
    operation: Operation,
    token: string,
    base: RequestContext,
  ): Promise<UserActor | undefined> {
    if (operation !== operations.auth.getUser || !token.startsWith(EXCHANGE_PREFIX)) return undefined
    try {
      const use = { browser: knownBrowser(base), isOwnPage: base.request.headers['sec-fetch-site'] === 'same-origin' }
      return await userOfToken(auth, await exchangeToken(deps, token, use, originOf(base)), originOf(base))
    } catch (error) {
      if (error instanceof SecondFactorRequired) void base.reply.headers(error.headers)
      throw error
    }
  }
  return {
    /** For the routes. */
    parts: { singleSignOn: deps, signIns },
    /** For the authenticator. */
    checks: {
      user: (token: string, origin: Origin) => userOfToken(auth, token, origin),
      exchange: userOfExchange,
    },
    serve: (server: FastifyInstance) => serveSingleSignOn(server, deps, { attempts: signIns, logouts }),
  }
}
