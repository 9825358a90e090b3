// Query of install keys: a namespace has at most as many as one page holds.
import { LIMITS } from '@bowline/contract/limits'
import { installKeys } from '@bowline/contract/operations/fleet/install-keys'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

export const INSTALL_KEYS = ['install-keys'] as const

export function installKeysQuery(api: Api) {
  return queryOptions({
    queryKey: INSTALL_KEYS,
    queryFn: async ({ signal }) =>
      (await api.call(installKeys.list, { query: { per_page: String(LIMITS.perPage.max) }, signal })).body,
  })
}
