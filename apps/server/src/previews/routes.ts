// Routes that preview the effect of a key or of the firewall.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { NamespaceTurns } from '../platform/namespace-turns.ts'
import { tryChange } from './dry-run.ts'
import { evaluateAttempt } from './firewall.ts'
import { findDevices } from './public-keys.ts'

export function previewRoutes(): Route[] {
  const { waiting, namespaces: atOnce, waitingOfAll } = LIMITS.dryRun
  const turns = new NamespaceTurns({ own: { atOnce: 1, waiting }, all: { atOnce, waiting: waitingOfAll } })
  return [
    memberRoute(operations.firewall.evaluate, (ctx, { body }) => evaluateAttempt(ctx, body)),
    memberRoute(operations.firewall.tryChange, (ctx, { body }) => turns.run(ctx.tenant, () => tryChange(ctx, body))),
    memberRoute(operations.publicKeys.findDevices, (ctx, { body }) => findDevices(ctx, body)),
  ]
}
