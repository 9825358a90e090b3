// Routes of memberships and invitations.
import { operations } from '@bowline/contract/operations'
import { type TenantId, UserId } from '@bowline/contract/schemas/common'
import type { TenantContext, UserActor } from '../context.ts'
import { type Route, memberRoute, publicRoute, userRoute } from '../http/route.ts'
import { acceptInvitation, describeInvitation, invite, listInvitations } from './invitations.ts'
import { type MemberDeps, addMember, leaveNamespace, removeMember, updateMemberRole } from './service.ts'

/**
 * @param contextOf context of any namespace: a member leaves the one in the path, not the token's
 * @param requireProof refuses people who have not used their second factor lately
 * @param requireAccessProof refuses callers who give access without a recent proof, where logins need a second factor
 */
export function memberRoutes(
  deps: MemberDeps,
  contextOf: (tenant: TenantId, actor: UserActor, source: string) => TenantContext,
  requireProof: (ctx: TenantContext) => Promise<void>,
  requireAccessProof: (ctx: TenantContext) => Promise<void>,
): Route[] {
  const { members } = operations
  return [
    memberRoute(members.add, async (ctx, { body }) => {
      if (body.role === 'administrator') await requireProof(ctx)
      await requireAccessProof(ctx)
      return addMember(deps, ctx, body)
    }),
    memberRoute(members.update, (ctx, { params, body }) =>
      updateMemberRole(deps, ctx, UserId.parse(params.uid), body.role),
    ),
    memberRoute(members.remove, (ctx, { params }) => removeMember(deps, ctx, UserId.parse(params.uid))),
    userRoute(members.leave, ({ actor, source }, { params }) =>
      leaveNamespace(deps, contextOf(params.tenant, actor, source), actor),
    ),
    memberRoute(members.invite, async (ctx, { body }) => {
      if (body.role === 'administrator') await requireProof(ctx)
      await requireAccessProof(ctx)
      return { link: (await invite(deps, ctx, body, 'link')).link }
    }),
    userRoute(members.acceptInvite, ({ actor, source }, { params, body }) =>
      acceptInvitation(deps, contextOf(params.tenant, actor, source), actor, body.sig),
    ),
    publicRoute(members.inviteStatus, (_, { params, query }) =>
      describeInvitation(deps, params.tenant, UserId.parse(params.id), query.sig),
    ),
    userRoute(members.listInvites, ({ actor }) => listInvitations(deps, actor.id)),
  ]
}
