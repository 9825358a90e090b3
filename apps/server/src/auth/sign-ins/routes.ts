// Routes of a person's living sign-ins.
import { operations } from '@bowline/contract/operations'
import { type Route, originOf, userRoute } from '../../http/route.ts'
import { type SignInDeps, endOneSignIn, listSignIns } from './service.ts'

/** @param place names the place of an address, '' when unknown */
export function signInRoutes(deps: SignInDeps, place: (address: string) => string): Route[] {
  const { users } = operations
  return [
    userRoute(users.listSignIns, ({ actor }, { query }) => {
      const { page, per_page: limit } = query
      return listSignIns(deps, actor, { limit, offset: (page - 1) * limit }, place)
    }),
    userRoute(users.endSignIn, (context, { params }) =>
      endOneSignIn(deps, context.actor, params.id, originOf(context)),
    ),
  ]
}
