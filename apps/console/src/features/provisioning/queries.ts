// Query of the settings of provisioning.
import { scim } from '@bowline/contract/operations/scim'
import { TenantId } from '@bowline/contract/schemas/common'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

export const PROVISIONING = ['provisioning'] as const

export function provisioningQuery(api: Api, tenant: string) {
  return queryOptions({
    queryKey: [...PROVISIONING, tenant],
    queryFn: async ({ signal }) =>
      (await api.call(scim.get, { params: { tenant: TenantId.parse(tenant) }, signal })).body,
  })
}
