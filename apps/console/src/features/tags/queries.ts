// Queries for tags.
import { devices } from '@bowline/contract/operations/devices'
import { tags } from '@bowline/contract/operations/tags'
import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../live/apply-events.ts'
import type { Api } from '../../auth/api.ts'
import { deviceFilter } from '../../core/devices/device-filter.ts'

/** Every tag in use in the namespace, device tags first. */
export function tagsQuery(api: Api) {
  return queryOptions({
    queryKey: keys.tags,
    queryFn: async ({ signal }) => (await api.call(tags.list, { signal })).body,
  })
}

/** Number of accepted devices with a tag. */
export function taggedDevicesQuery(api: Api, tag: string) {
  return queryOptions({
    queryKey: [...keys.tags, 'devices', tag],
    queryFn: async ({ signal }) => {
      const query = { per_page: '1', filter: deviceFilter({ words: '', tags: [tag] }) }
      return (await api.call(devices.list, { query, signal })).total
    },
  })
}
