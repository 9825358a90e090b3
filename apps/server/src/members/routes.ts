// Routes of memberships.
import { operations } from '@bowline/contract/operations'
import { type TenantId, UserId } from '@bowline/contract/schemas/common'
import type { TenantContext, UserActor } from '../context.ts'
import { type Route, memberRoute, userRoute } from '../http/route.ts'
import { type MemberDeps, addMember, leaveNamespace, removeMember, updateMemberRole } from './service.ts'

/** @param contextOf context of any namespace: a member leaves the one in the path, not the token's */
export function memberRoutes(
  deps: MemberDeps,
  contextOf: (tenant: TenantId, actor: UserActor, source: string) => TenantContext,
): Route[] {
  const { members } = operations
  return [
    memberRoute(members.add, (ctx, { body }) => addMember(deps, ctx, body)),
    memberRoute(members.update, (ctx, { params, body }) =>
      updateMemberRole(deps, ctx, UserId.parse(params.uid), body.role),
    ),
    memberRoute(members.remove, (ctx, { params }) => removeMember(deps, ctx, UserId.parse(params.uid))),
    userRoute(members.leave, ({ actor, source }, { params }) =>
      leaveNamespace(deps, contextOf(params.tenant, actor, source), actor),
    ),
  ]
}
