// Routes of tunnels.
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { signInOf } from '../auth/fresh-proofs.ts'
import type { Actor } from '../context.ts'
import { type Route, memberRoute, userRoute } from '../http/route.ts'
import { type Doorkeeper } from './doors/doorkeeper.ts'
import { type TunnelDeps, create, list, remove, requests, update } from './service.ts'

/**
 * Refuses visitors without the second factor where logins need one.
 * @param source address of the browser
 * @returns when it was proven; undefined where none is asked for
 */
type RequireFactor = (actor: Actor, device: DeviceUid, source: string) => Promise<Date | undefined>

export function tunnelRoutes(
  deps: TunnelDeps,
  doors: Pick<Doorkeeper, 'visitLink'>,
  requireFactor: RequireFactor,
): Route[] {
  const { tunnels } = operations
  return [
    memberRoute(tunnels.list, (ctx, { params, query }) => list(deps, ctx, params.uid, query)),
    memberRoute(tunnels.create, (ctx, { params, body }) => create(deps, ctx, params.uid, body)),
    memberRoute(tunnels.update, (ctx, { params, body }) => update(deps, ctx, params.uid, params.address, body)),
    memberRoute(tunnels.requests, (ctx, { params }) => requests(deps, ctx, params.uid, params.address)),
    memberRoute(tunnels.remove, (ctx, { params }) => remove(deps, ctx, params.uid, params.address)),
    userRoute(tunnels.visit, async ({ actor, source }, { params, body }) => {
      const visitor = { user: actor.id, signIn: signInOf(actor) }
      const factor = (device: DeviceUid): Promise<Date | undefined> => requireFactor(actor, device, source)
      return { url: await doors.visitLink(visitor, params.address, body.path, factor) }
    }),
  ]
}
