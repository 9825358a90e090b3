// Routes of install keys.
import { operations } from '@bowline/contract/operations'
import type { TenantContext } from '../context.ts'
import { type Route, memberRoute } from '../http/route.ts'
import { createInstallKey, listKeys, removeInstallKey } from './service.ts'

/** @param requireProof refuses people who have not used their second factor lately */
export function installKeyRoutes(requireProof: (ctx: TenantContext) => Promise<void>): Route[] {
  const { installKeys } = operations
  return [
    memberRoute(installKeys.create, async (ctx, { body }) => {
      // A key accepts devices for as long as it lives.
      await requireProof(ctx)
      return createInstallKey(ctx, body)
    }),
    memberRoute(installKeys.list, (ctx, { query }) => listKeys(ctx, query)),
    memberRoute(installKeys.remove, (ctx, { params }) => removeInstallKey(ctx, params.install_key)),
  ]
}
