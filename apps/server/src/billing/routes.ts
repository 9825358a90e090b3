// Billing routes of the cloud edition.
import { operations } from '@bowline/contract/operations'
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

/** @param stored called when an event of the provider has come */
export function billingRoutes(deps: BillingDeps, stored: () => void): Route[] {
  const { billing } = operations
  return [
    memberRoute(billing.createCustomer, (ctx) => createCustomer(deps, ctx)),
    memberRoute(billing.getCustomer, (ctx) => getCustomer(deps, ctx)),
    memberRoute(billing.createSubscription, (ctx) => subscribe(deps, ctx)),
    memberRoute(billing.getSubscription, (ctx) => getSubscription(deps, ctx)),
    memberRoute(billing.attachPaymentMethod, (ctx, { body }) => changeMethod(deps, ctx, 'attachMethod', body.id)),
    memberRoute(billing.detachPaymentMethod, (ctx, { body }) => changeMethod(deps, ctx, 'detachMethod', body.id)),
    memberRoute(billing.setDefaultPaymentMethod, (ctx, { body }) =>
      changeMethod(deps, ctx, 'setDefaultMethod', body.id),
    ),
    memberRoute(billing.portal, (ctx, { query }) => openPortal(deps, ctx, query.flow)),
    memberRoute(billing.report, (ctx, { query }) => report(deps, ctx, query.action)),
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
