// Namespaces of the signed-in person.
import { namespaces } from '@bowline/contract/operations/namespaces'
import { TenantId } from '@bowline/contract/schemas/common'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../session/api.ts'

/** One namespace. `tenant`: its UUID. */
export function namespaceQuery(api: Api, tenant: string) {
  return queryOptions({
    queryKey: ['namespaces', tenant],
    queryFn: async ({ signal }) =>
      (await api.call(namespaces.get, { params: { tenant: TenantId.parse(tenant) }, signal })).body,
  })
}
