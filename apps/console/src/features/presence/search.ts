// URL search parameters of the list of incidents.
import { z } from 'zod'
import { PageSearch } from '../../ui/list/page-search.ts'

export const DEFAULT_INCIDENTS_SEARCH = { page: 1, state: 'all' } as const

export const IncidentsSearch = PageSearch.extend({
  state: z.enum(['all', 'open', 'over']).catch(DEFAULT_INCIDENTS_SEARCH.state).default(DEFAULT_INCIDENTS_SEARCH.state),
})
