// Routes that preview the effect of a key or of the firewall.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { evaluateAttempt } from './firewall.ts'
import { findDevices } from './public-keys.ts'

export function previewRoutes(): Route[] {
  return [
    memberRoute(operations.firewall.evaluate, (ctx, { body }) => evaluateAttempt(ctx, body)),
    memberRoute(operations.publicKeys.findDevices, (ctx, { body }) => findDevices(ctx, body)),
  ]
}
