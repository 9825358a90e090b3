// Calls of single sign-on, and of the administrators who set it up.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import type { SignInSettings } from '@bowline/contract/operations/single-sign-on'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { requireOwnOrigin, signInBrowser } from '../auth/browser-cookies.ts'
import { NO_SECOND_STEP, SecondFactorRequired, type SigningIn } from '../auth/pending-sign-ins.ts'
import {
  type RequestContext,
  type Route,
  type UserContext,
  instanceAdminRoute,
  originOf,
  publicRoute,
} from '../http/route.ts'
import { WaitingRoom } from '../budgets/waiting.ts'
import { sourceKey } from '../platform/network/address.ts'
import { knownBrowser, markBrowser } from './browser.ts'
import { exchangeAccount, linkByPassword } from './exchange.ts'
import { linkByMail, sendProof } from './link-by-mail.ts'
import { addProvider, changeProvider, removeProvider } from './openid/providers.ts'
import { type OpenidDeps, signOutAddress, startOpenid, testProvider } from './openid/service.ts'
import { setProvider } from './provider-settings.ts'
import { checkAnswer } from './saml/check.ts'
import { beginRollover, endRollover } from './saml/keys.ts'
import { startSaml } from './saml/service.ts'
import { placeRequest } from './store.ts'
import { describeSettings, noteSettingsChange, requireWayToSignIn, updateSwitches } from './settings.ts'

/** @param attempts rate limit per source */
export function singleSignOnRoutes(deps: OpenidDeps, attempts: RateLimiter): Route[] {
  const { singleSignOn, saml, openid } = operations
  const limit = (context: RequestContext): void => {
    if (!attempts.take(sourceKey(context.source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
  }
  /** Finishes a sign-in in the browser that began it. */
  const finish = async (context: RequestContext, work: (browser: Buffer) => Promise<SigningIn>): Promise<UserAuth> => {
    requireOwnOrigin(context)
    limit(context)
    void context.reply.headers(NO_SECOND_STEP)
    try {
      const account = await work(knownBrowser(context) ?? fail('UNAUTHORIZED'))
      // The browser is known again when its person signs out at the provider.
      if (account.providerSession !== undefined) markBrowser(context, LIMITS.refreshDays * 1_440)
      return await signInBrowser(deps, context, account)
    } catch (error) {
      if (error instanceof SecondFactorRequired) {
        void context.reply.headers(error.headers)
        markBrowser(context, LIMITS.refreshDays * 1_440)
      }
      throw error
    }
  }
  const change = async (
    context: UserContext,
    details: Readonly<Record<string, unknown>>,
    work: () => Promise<unknown>,
  ): Promise<SignInSettings> => {
    await work()
    await noteSettingsChange(deps, context.actor.id, originOf(context), details)
    return describeSettings(deps)
  }
  const room = new WaitingRoom('provider_requests', {
    ...LIMITS.providerRequests,
    minutes: LIMITS.providerRequestMinutes,
  })
  return [
    publicRoute(saml.start, async (context, { query }) => {
      limit(context)
      const browser = markBrowser(context)
      const url = await room.add(deps, context.source, async (db, source) => {
        const address = await startSaml(
          { ...deps, db },
          { browser, fresh: query.fresh, ...(query.next ? { next: query.next } : {}) },
        )
        await placeRequest(db, browser, source)
        return address
      })
      return { url }
    }),
    publicRoute(openid.start, async (context, { params, query }) => {
      limit(context)
      const { source } = context
      return {
        url: await startOpenid(deps, params.id, { browser: markBrowser(context), ...query, room, source }),
      }
    }),
    publicRoute(openid.signOut, async (context, { params }) => {
      limit(context)
      return { url: await signOutAddress(deps, params.id, knownBrowser(context)) }
    }),
    publicRoute(singleSignOn.exchange, (context, { body }) =>
      finish(context, (browser) => exchangeAccount(deps, body.token, browser, originOf(context))),
    ),
    publicRoute(singleSignOn.link, (context, { body }) =>
      finish(context, (browser) => linkByPassword(deps, body, browser, originOf(context))),
    ),
    publicRoute(singleSignOn.sendProof, async (context, { body }) => {
      requireOwnOrigin(context)
      limit(context)
      const browser = knownBrowser(context) ?? fail('UNAUTHORIZED')
      const sent = await sendProof(deps, body.token, browser, originOf(context))
      if (sent) markBrowser(context, LIMITS.identityProofMinutes)
      return { sent }
    }),
    publicRoute(singleSignOn.linkByMail, (context, { body }) =>
      finish(context, (browser) => linkByMail(deps, body.token, browser, originOf(context))),
    ),
    instanceAdminRoute(singleSignOn.settings, () => describeSettings(deps)),
    instanceAdminRoute(singleSignOn.update, (context, { body }) =>
      change(context, { ...body }, () => updateSwitches(deps, body)),
    ),
    instanceAdminRoute(singleSignOn.setProvider, (context, { body }) => {
      const { metadata, certificates, ...rest } = body
      const details = { ...rest, metadata: metadata !== undefined, certificates: certificates?.length ?? 0 }
      return change(context, details, () => setProvider(deps, body))
    }),
    instanceAdminRoute(singleSignOn.test, async (context) => ({
      url: await startSaml(deps, { browser: markBrowser(context), tester: context.actor.id }),
    })),
    instanceAdminRoute(singleSignOn.check, ({ source }, { body }) => checkAnswer(deps, body.response, source)),
    instanceAdminRoute(singleSignOn.addKey, (context) => change(context, { key: 'add' }, () => beginRollover(deps))),
    instanceAdminRoute(singleSignOn.removeKey, (context) =>
      change(context, { key: 'remove' }, () => endRollover(deps)),
    ),
    instanceAdminRoute(openid.add, async (context, { body }) => {
      const provider = await addProvider(deps, body)
      const { name, issuer } = body
      await noteSettingsChange(deps, context.actor.id, originOf(context), { openid: 'add', name, issuer })
      return provider
    }),
    instanceAdminRoute(openid.update, async (context, { params, body }) => {
      const provider = await changeProvider(deps, params.id, body, requireWayToSignIn)
      const { client_secret: secret, ...rest } = body
      const details = { openid: 'update', id: params.id, ...rest, client_secret: secret !== undefined }
      await noteSettingsChange(deps, context.actor.id, originOf(context), details)
      return provider
    }),
    instanceAdminRoute(openid.remove, async (context, { params }) => {
      await removeProvider(deps, params.id, requireWayToSignIn)
      await noteSettingsChange(deps, context.actor.id, originOf(context), { openid: 'remove', id: params.id })
    }),
    instanceAdminRoute(openid.test, (_, { params }) => testProvider(deps, params.id)),
  ]
}
