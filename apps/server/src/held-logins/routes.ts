// Routes of SSH logins that wait for their person.
import { operations } from '@bowline/contract/operations'
import { type Route, originOf, userRoute } from '../http/route.ts'
import { type HeldLoginDeps, approveHeldLogin, denyHeldLogin, getHeldLogin, listHeldLogins } from './service.ts'

export function heldLoginRoutes(deps: HeldLoginDeps): Route[] {
  const { heldLogins } = operations
  return [
    userRoute(heldLogins.list, ({ actor }) => listHeldLogins(deps, actor)),
    userRoute(heldLogins.get, ({ actor }, { params }) => getHeldLogin(deps, actor, params.code)),
    userRoute(heldLogins.approve, (context, { params }) =>
      approveHeldLogin(deps, context.actor, params.code, originOf(context)),
    ),
    userRoute(heldLogins.deny, (context, { params }) =>
      denyHeldLogin(deps, context.actor, params.code, originOf(context)),
    ),
  ]
}
