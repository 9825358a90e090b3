// Calls about linked identities: those of the caller, and of anybody for administrators of the server.
import { operations } from '@bowline/contract/operations'
import { type Route, instanceAdminRoute, originOf, userRoute } from '../../http/route.ts'
import { type RemovalDeps, listIdentities, personNamed, removeOf, removeOwn } from './service.ts'

export function identityRoutes(deps: RemovalDeps): Route[] {
  const { users } = operations
  return [
    userRoute(users.listIdentities, ({ actor }) => listIdentities(deps.db, actor.id)),
    userRoute(users.removeIdentity, (context, { params }) =>
      removeOwn(deps, context.actor, params.id, originOf(context)),
    ),
    instanceAdminRoute(users.listIdentitiesOf, async (_, { params }) =>
      listIdentities(deps.db, (await personNamed(deps.db, params.user)).id),
    ),
    instanceAdminRoute(users.removeIdentityOf, async (context, { params }) => {
      const { id } = await personNamed(deps.db, params.user)
      await removeOf(deps, id, params.id, originOf(context))
    }),
  ]
}
