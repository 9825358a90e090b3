// Billing routes that need no payment provider.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { chooseDevices, evaluate, mostUsedDevices } from './service.ts'

export function billingRoutes(): Route[] {
  const { billing } = operations
  return [
    memberRoute(billing.chooseDevices, (ctx, { body }) => chooseDevices(ctx, body.choices)),
    memberRoute(billing.mostUsedDevices, (ctx) => mostUsedDevices(ctx)),
    memberRoute(billing.evaluate, (ctx) => evaluate(ctx)),
  ]
}
