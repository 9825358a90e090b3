// Routes of the settings of provisioning.
import { operations } from '@bowline/contract/operations'
import type { TenantContext } from '../context.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { type ScimSettingsDeps, createToken, getScim, removeToken, updateScim } from './settings.ts'

/** @param requireProof refuses people who have not used their second factor lately */
export function scimRoutes(deps: ScimSettingsDeps, requireProof: (ctx: TenantContext) => Promise<void>): Route[] {
  const { scim } = operations
  return [
    memberRoute(scim.get, (ctx) => getScim(deps, ctx)),
    memberRoute(scim.update, async (ctx, { body }) => {
      await requireProof(ctx)
      return updateScim(deps, ctx, body)
    }),
    memberRoute(scim.createToken, async (ctx, { body }) => {
      await requireProof(ctx)
      return createToken(deps, ctx, body.name)
    }),
    memberRoute(scim.removeToken, (ctx, { params }) => removeToken(ctx, params.id)),
  ]
}
