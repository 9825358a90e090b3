// Routes of install keys.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { createInstallKey, listKeys, removeInstallKey } from './service.ts'

export function installKeyRoutes(): Route[] {
  const { installKeys } = operations
  return [
    memberRoute(installKeys.create, (ctx, { body }) => createInstallKey(ctx, body)),
    memberRoute(installKeys.list, (ctx, { query }) => listKeys(ctx, query)),
    memberRoute(installKeys.remove, (ctx, { params }) => removeInstallKey(ctx, params.install_key)),
  ]
}
