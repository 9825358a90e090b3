// Queries for mail of the server.
import { mails } from '@bowline/contract/operations/mails'
import type { OutboxMail } from '@bowline/contract/schemas/mail'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import type { ListPage } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { OutboxState } from './search.ts'

export const MAILS_PER_PAGE = 10
export const OUTBOX = ['mails', 'outbox'] as const

/** Mails come and go without events of the namespace. */
const REFETCH_MS = 5_000

export function outboxQuery(api: Api, state: OutboxState, page: number) {
  return queryOptions({
    queryKey: [...OUTBOX, state, page],
    queryFn: async ({ signal }): Promise<ListPage<OutboxMail>> => {
      const query = { page: String(page), per_page: String(MAILS_PER_PAGE), ...(state === 'all' ? {} : { state }) }
      return listPage(await api.call(mails.list, { query, signal }))
    },
    staleTime: 0,
    refetchInterval: REFETCH_MS,
    placeholderData: keepPreviousData,
  })
}

export function mailSettingsQuery(api: Api) {
  return queryOptions({
    queryKey: ['mails', 'settings'],
    queryFn: async ({ signal }) => (await api.call(mails.settings, { signal })).body,
  })
}

export function previewsQuery(api: Api) {
  return queryOptions({
    queryKey: ['mails', 'templates'],
    queryFn: async ({ signal }) => (await api.call(mails.templates, { signal })).body,
  })
}
