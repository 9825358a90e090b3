// Queries for public keys.
import { publicKeys } from '@bowline/contract/operations/public-keys'
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import type { DeviceFilter } from '@bowline/contract/schemas/tag'
import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query'
import { type ListPage, keys } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'
import { encodeFilter, where } from '../../core/list-filter.ts'

export const KEYS_PER_PAGE = 25

const SEARCHED = ['name', 'fingerprint_sha256', 'fingerprint'] as const

/** Keys of the namespace, oldest first. */
export function publicKeyListQuery(
  api: Api,
  { page, words, isDisabled = false }: { page: number; words: string; isDisabled?: boolean },
) {
  const filter = encodeFilter([
    { join: 'or', conditions: words === '' ? [] : SEARCHED.map((name) => where(name, 'contains', words)) },
    { join: 'and', conditions: isDisabled ? [where('disabled', 'eq', true)] : [] },
  ])
  return queryOptions({
    queryKey: [...keys.publicKeys, 'list', { page, filter }],
    queryFn: async ({ signal }): Promise<ListPage<PublicKey>> => {
      const query = { page: String(page), per_page: String(KEYS_PER_PAGE), filter }
      return listPage(await api.call(publicKeys.list, { query, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

/** Service keys of the namespace, the first of them by name of their list. */
export function serviceKeysQuery(api: Api) {
  const filter = encodeFilter([{ join: 'and', conditions: [where('service', 'eq', true)] }])
  return queryOptions({
    queryKey: [...keys.publicKeys, 'services'],
    queryFn: async ({ signal }): Promise<ListPage<PublicKey>> => {
      const query = { page: '1', per_page: String(KEYS_PER_PAGE), filter }
      return listPage(await api.call(publicKeys.list, { query, signal }))
    },
  })
}

/** Accepted devices that a filter matches; undefined while the filter is incomplete. */
export function keyDevicesQuery(api: Api, filter: DeviceFilter | undefined) {
  return queryOptions({
    queryKey: [...keys.publicKeys, 'devices', filter],
    queryFn: filter
      ? async ({ signal }) => (await api.call(publicKeys.findDevices, { body: { filter }, signal })).body
      : skipToken,
  })
}
