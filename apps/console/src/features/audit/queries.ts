// Queries for the audit log.
import { audit } from '@bowline/contract/operations/stats'
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ListPage } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'

export const ENTRIES_PER_PAGE = 25

/** Entries, newest first. */
export function auditListQuery(api: Api, page: number) {
  return queryOptions({
    queryKey: ['audit', page],
    queryFn: async ({ signal }): Promise<ListPage<AuditEntry>> => {
      const query = { page: String(page), per_page: String(ENTRIES_PER_PAGE) }
      return listPage(await api.call(audit.list, { query, signal }))
    },
    // Every action adds an entry, so cached pages are outdated at once.
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** All entries as JSON lines. */
export async function fetchAuditLog(api: Api): Promise<Blob> {
  const response = await api.open(audit.list, { query: { format: 'jsonl' } })
  return response.blob()
}
