// URL search parameters of the team page.
import { z } from 'zod'

export const API_KEY_SORTS = ['expires_in', 'name', 'role', 'created_at'] as const
export type ApiKeySort = (typeof API_KEY_SORTS)[number]

export const MEMBER_SORTS = ['email', 'role', 'added_at'] as const
export type MemberSort = (typeof MEMBER_SORTS)[number]

export const DEFAULT_TEAM_SEARCH = { tab: 'members', page: 1 } as const

export const TeamSearch = z.object({
  tab: z.enum(['members', 'roles', 'keys']).catch(DEFAULT_TEAM_SEARCH.tab).default(DEFAULT_TEAM_SEARCH.tab),
  page: z.coerce.number().int().min(1).catch(DEFAULT_TEAM_SEARCH.page).default(DEFAULT_TEAM_SEARCH.page),
  /** Words that members are searched for. */
  q: z.string().trim().max(64).optional().catch(undefined),
  sort: z
    .enum([...API_KEY_SORTS, ...MEMBER_SORTS])
    .optional()
    .catch(undefined),
  order: z.enum(['asc', 'desc']).optional().catch(undefined),
  /** Dialog for a new member, role or key is open. */
  add: z.enum(['yes']).optional().catch(undefined),
  /** Name of the API key whose dialog is open. */
  edit: z.string().max(64).optional().catch(undefined),
})
export type TeamSearch = z.infer<typeof TeamSearch>
