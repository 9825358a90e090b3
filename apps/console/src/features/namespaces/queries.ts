// Queries for the signed-in person's namespaces.
import { namespaces } from '@bowline/contract/operations/namespaces'
import { LIMITS } from '@bowline/contract/limits'
import { TenantId } from '@bowline/contract/schemas/common'
import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../live/apply-events.ts'
import type { Api } from '../../auth/api.ts'

/** One namespace. `tenant`: its UUID. */
export function namespaceQuery(api: Api, tenant: string) {
  return queryOptions({
    queryKey: keys.namespace(tenant),
    queryFn: async ({ signal }) =>
      (await api.call(namespaces.get, { params: { tenant: TenantId.parse(tenant) }, signal })).body,
  })
}

/** Namespaces the person is a member of; one page, which is more than people have. */
export function ownNamespacesQuery(api: Api) {
  return queryOptions({
    queryKey: [...keys.namespaces, 'mine'],
    queryFn: async ({ signal }) =>
      (await api.call(namespaces.list, { query: { per_page: String(LIMITS.perPage.max) }, signal })).body,
  })
}

/** Namespaces that the person has deleted and can restore. */
export function deletedNamespacesQuery(api: Api) {
  return queryOptions({
    queryKey: [...keys.namespaces, 'deleted'],
    queryFn: async ({ signal }) => (await api.call(namespaces.listDeleted, { signal })).body,
    staleTime: 0,
    gcTime: 0,
  })
}
