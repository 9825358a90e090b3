// Device routes for other parts of the platform.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type Route, internalRoute } from '../http/route.ts'
import { markOffline, resolveLoginTarget } from './presence.ts'
import { get } from './service.ts'

/**
 * @param system connection: callers do not specify a tenant id
 * @param contextOf returns the platform's own context in a namespace
 */
export function internalDeviceRoutes(
  system: Kysely<Schema>,
  contextOf: (tenant: TenantId, source: string) => TenantContext,
): Route[] {
  const { internal } = operations
  const unknown = (): never => fail('NOT_FOUND', { what: 'The device' })
  return [
    internalRoute(internal.markOffline, async ({ source }, { params }) => {
      const { tenant } = (await resolveLoginTarget(system, { uid: params.uid })) ?? unknown()
      if (!(await markOffline(contextOf(tenant, source), params.uid))) unknown()
    }),
    internalRoute(internal.lookup, async ({ source }, { query }) => {
      const named = { namespace: query.domain, device: query.name }
      const { tenant, uid } = (await resolveLoginTarget(system, named)) ?? unknown()
      return get(contextOf(tenant, source), uid)
    }),
  ]
}
