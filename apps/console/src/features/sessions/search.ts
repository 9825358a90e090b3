// The part of the sessions page that lives in its URL.
import { z } from 'zod'

export const DEFAULT_SESSIONS_SEARCH = { page: 1 } as const

export const SessionsSearch = z.object({
  page: z.coerce.number().int().min(1).catch(DEFAULT_SESSIONS_SEARCH.page).default(DEFAULT_SESSIONS_SEARCH.page),
})
export type SessionsSearch = z.infer<typeof SessionsSearch>
