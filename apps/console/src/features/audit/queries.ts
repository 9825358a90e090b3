// Queries for the audit log.
import { audit } from '@bowline/contract/operations/stats'
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import type { ExportFormat } from '@bowline/contract/schemas/common'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { startOfDay } from '../../core/list-filter.ts'
import type { ListPage } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { AuditFilterSearch, AuditSearch } from './search.ts'

export const ENTRIES_PER_PAGE = 25

/** Filters of the API for those of a URL. */
export function auditQuery({ person, action, from, to }: AuditFilterSearch) {
  return {
    ...(person === undefined ? {} : { person }),
    ...(action === undefined ? {} : { action }),
    ...(from === undefined ? {} : { from: startOfDay(from, 0) }),
    ...(to === undefined ? {} : { to: startOfDay(to, 0, 1) }),
  }
}

function filterOf({ q, job, ...search }: AuditSearch) {
  return {
    ...auditQuery(search),
    ...(q === undefined || q === '' ? {} : { search: q }),
    ...(job === undefined ? {} : { job }),
  }
}

/** Entries, newest first. */
export function auditListQuery(api: Api, search: AuditSearch) {
  return queryOptions({
    queryKey: ['audit', search],
    queryFn: async ({ signal }): Promise<ListPage<AuditEntry>> => {
      const page = { page: String(search.page), per_page: String(ENTRIES_PER_PAGE) }
      return listPage(await api.call(audit.list, { query: { ...filterOf(search), ...page }, signal }))
    },
    // Every action adds an entry, so cached pages are outdated at once.
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** All entries that match. */
export function openAuditExport(api: Api, search: AuditSearch, format: ExportFormat): Promise<Response> {
  return api.open(audit.list, { query: { ...filterOf(search), format } })
}
