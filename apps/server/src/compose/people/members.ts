// Members of a namespace, and the roles that it makes for itself.
import type { Route } from '../../http/route.ts'
import { lockSubordinate } from '../../members/authority.ts'
import { emitMembers } from '../../members/changes.ts'
import { memberRoutes } from '../../members/routes.ts'
import { roleRoutes } from '../../roles/routes.ts'
import type { createProofChecks } from './proofs.ts'

/** Routes of members and roles. @param contextOf context of any namespace */
export function peopleRoutes(
  deps: Parameters<typeof memberRoutes>[0],
  contextOf: Parameters<typeof memberRoutes>[1],
  proofs: Pick<ReturnType<typeof createProofChecks>, 'factor' | 'access'>,
): Route[] {
  const { db, ids } = deps
  return [
    ...memberRoutes(deps, contextOf, proofs.factor, proofs.access),
    ...roleRoutes({ ids, lockSubordinate, changed: (ctx, users) => emitMembers(db, ctx, users) }),
  ]
}
