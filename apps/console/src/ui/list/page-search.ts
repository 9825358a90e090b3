// The page number in a list's URL, shared by all lists.
import { z } from 'zod'

export const DEFAULT_PAGE_SEARCH = { page: 1 } as const

/** An invalid value means the first page. */
export const PageSearch = z.object({
  page: z.coerce.number().int().min(1).catch(DEFAULT_PAGE_SEARCH.page).default(DEFAULT_PAGE_SEARCH.page),
})
