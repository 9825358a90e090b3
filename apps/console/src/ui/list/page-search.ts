// The part of a list's address that every list has: its page.
import { z } from 'zod'

export const DEFAULT_PAGE_SEARCH = { page: 1 } as const

/** What cannot be read is the first page. */
export const PageSearch = z.object({
  page: z.coerce.number().int().min(1).catch(DEFAULT_PAGE_SEARCH.page).default(DEFAULT_PAGE_SEARCH.page),
})
