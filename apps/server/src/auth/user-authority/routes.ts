// Route of what SSH servers of devices without an agent trust.
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import { type Route, memberRoute } from '../../http/route.ts'
import { getNamespaceName } from '../../namespaces/service.ts'
import type { SecretKey } from '../../platform/secrets/seal.ts'
import { userAuthorityLines } from './authority.ts'

/** @param system connection to all namespaces */
export function userAuthorityRoutes(secret: SecretKey, system: Kysely<Schema>): Route[] {
  return [
    memberRoute(operations.devices.userAuthority, async (ctx) =>
      userAuthorityLines(ctx, secret, await getNamespaceName(system, ctx.tenant)),
    ),
  ]
}
