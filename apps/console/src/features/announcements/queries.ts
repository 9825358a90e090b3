// Queries for announcements.
import { announcements } from '@bowline/contract/operations/announcements'
import type { AnnouncementShort } from '@bowline/contract/schemas/announcement'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ListPage } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'

export const ANNOUNCEMENTS_PER_PAGE = 20

/** Announcements, newest first. */
export function announcementListQuery(api: Api, page: number) {
  return queryOptions({
    queryKey: ['announcements', 'list', page],
    queryFn: async ({ signal }): Promise<ListPage<AnnouncementShort>> => {
      const query = { page: String(page), per_page: String(ANNOUNCEMENTS_PER_PAGE) }
      return listPage(await api.call(announcements.list, { query, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

export function announcementQuery(api: Api, uuid: string) {
  return queryOptions({
    queryKey: ['announcements', 'one', uuid],
    queryFn: async ({ signal }) => (await api.call(announcements.get, { params: { uuid }, signal })).body,
  })
}
