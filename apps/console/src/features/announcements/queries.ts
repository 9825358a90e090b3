// Queries for announcements.
import { announcements } from '@bowline/contract/operations/announcements'
import type { AnnouncementShort, ManagedAnnouncement } from '@bowline/contract/schemas/announcement'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ListPage } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'

export const ANNOUNCEMENTS_PER_PAGE = 20
/** Prefix of the query keys in this file. */
export const ANNOUNCEMENTS = ['announcements'] as const

/** The newest announcement, until the person has seen it. */
export function unreadQuery(api: Api) {
  return queryOptions({
    queryKey: [...ANNOUNCEMENTS, 'unread'],
    queryFn: async ({ signal }) => (await api.call(announcements.unread, { signal })).body,
  })
}

/** All announcements, for their authors. */
export function managedQuery(api: Api, page: number) {
  return queryOptions({
    queryKey: [...ANNOUNCEMENTS, 'managed', page],
    queryFn: async ({ signal }): Promise<ListPage<ManagedAnnouncement>> => {
      const query = { page: String(page), per_page: String(ANNOUNCEMENTS_PER_PAGE) }
      return listPage(await api.call(announcements.listAll, { query, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

/** Announcements, newest first. */
export function announcementListQuery(api: Api, page: number) {
  return queryOptions({
    queryKey: [...ANNOUNCEMENTS, 'list', page],
    queryFn: async ({ signal }): Promise<ListPage<AnnouncementShort>> => {
      const query = { page: String(page), per_page: String(ANNOUNCEMENTS_PER_PAGE) }
      return listPage(await api.call(announcements.list, { query, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

export function announcementQuery(api: Api, uuid: string) {
  return queryOptions({
    queryKey: [...ANNOUNCEMENTS, 'one', uuid],
    queryFn: async ({ signal }) => (await api.call(announcements.get, { params: { uuid }, signal })).body,
  })
}
