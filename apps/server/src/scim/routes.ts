// Routes of the settings of provisioning.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { type ScimSettingsDeps, createToken, getScim, removeToken, updateScim } from './settings.ts'

export function scimRoutes(deps: ScimSettingsDeps): Route[] {
  const { scim } = operations
  return [
    memberRoute(scim.get, (ctx) => getScim(deps, ctx)),
    memberRoute(scim.update, (ctx, { body }) => updateScim(deps, ctx, body)),
    memberRoute(scim.createToken, (ctx, { body }) => createToken(deps, ctx, body.name)),
    memberRoute(scim.removeToken, (ctx, { params }) => removeToken(ctx, params.id)),
  ]
}
