// The URL of the page about mail: state and page of the outbox.
import { z } from 'zod'
import { DEFAULT_PAGE_SEARCH, PageSearch } from '../../ui/list/page-search.ts'

export const DEFAULT_MAIL_SEARCH = { ...DEFAULT_PAGE_SEARCH, state: 'all' } as const
/** An invalid state means all mails. */
export const MailSearch = PageSearch.extend({
  state: z.enum(['all', 'queued', 'sent', 'failed']).catch('all').default('all'),
})
export type OutboxState = z.output<typeof MailSearch>['state']
