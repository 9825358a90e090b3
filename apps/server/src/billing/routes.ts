// Billing routes of the cloud edition.
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { fail } from '@bowline/contract/errors'
import { type Route, memberRoute, publicRoute } from '../http/route.ts'
import {
  changeMethod,
  createCustomer,
  getCustomer,
  getSubscription,
  openPortal,
  report,
  subscribe,
} from './customers.ts'
import type { BillingDeps } from './deps.ts'
import { receiveEvent } from './events/receive.ts'
import { chooseDevices, evaluate, mostUsedDevices, standing } from './service.ts'

const WAIT_SECONDS = 10

/**
 * @param stored called when an event of the provider has come
 * @param calls budget per namespace of calls that reach the provider, which limits what the whole server may ask
 */
export function billingRoutes(deps: BillingDeps, stored: () => void, calls: RateLimiter): Route[] {
  const { billing } = operations
  const asking: typeof memberRoute = (operation, handle) =>
    memberRoute(operation, (ctx, input) => {
      if (!calls.take(ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: WAIT_SECONDS })
      return handle(ctx, input)
    })
  return [
    asking(billing.createCustomer, (ctx) => createCustomer(deps, ctx)),
    asking(billing.getCustomer, (ctx) => getCustomer(deps, ctx)),
    asking(billing.createSubscription, (ctx) => subscribe(deps, ctx)),
    asking(billing.getSubscription, (ctx) => getSubscription(deps, ctx)),
    asking(billing.attachPaymentMethod, (ctx, { body }) => changeMethod(deps, ctx, 'attachMethod', body.id)),
    asking(billing.detachPaymentMethod, (ctx, { body }) => changeMethod(deps, ctx, 'detachMethod', body.id)),
    asking(billing.setDefaultPaymentMethod, (ctx, { body }) => changeMethod(deps, ctx, 'setDefaultMethod', body.id)),
    asking(billing.portal, (ctx, { query }) => openPortal(deps, ctx, query.flow)),
    asking(billing.report, (ctx, { query }) => report(deps, ctx, query.action)),
    publicRoute(billing.webhook, ({ request }) => {
      const header = request.headers['stripe-signature']
      const signature = typeof header === 'string' ? header : undefined
      return receiveEvent(deps, { text: request.bodyText ?? '', signature }, stored)
    }),
    memberRoute(billing.chooseDevices, (ctx, { body }) => chooseDevices(ctx, body.choices)),
    memberRoute(billing.mostUsedDevices, (ctx) => mostUsedDevices(ctx)),
    memberRoute(billing.evaluate, (ctx) => evaluate(ctx)),
    memberRoute(billing.standing, (ctx) => standing(ctx)),
  ]
}
