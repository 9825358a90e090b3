// What the console asks about tags.
import { tags } from '@bowline/contract/operations/tags'
import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../live/apply-events.ts'
import type { Api } from '../../session/api.ts'

/** Every tag in use in the namespace, those of devices first. */
export function tagsQuery(api: Api) {
  return queryOptions({
    queryKey: keys.tags,
    queryFn: async ({ signal }) => (await api.call(tags.list, { signal })).body,
  })
}
