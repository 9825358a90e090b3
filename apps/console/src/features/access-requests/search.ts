// URL search parameters of the page of access requests.
import { DeviceUid } from '@bowline/contract/schemas/common'
import { z } from 'zod'
import { PageSearch } from '../../ui/list/page-search.ts'

export const ACCESS_TABS = ['pending', 'active', 'past'] as const
export type AccessTab = (typeof ACCESS_TABS)[number]

export const DEFAULT_ACCESS_SEARCH = { page: 1, state: 'pending' } as const

export const AccessRequestsSearch = PageSearch.extend({
  state: z.enum(ACCESS_TABS).catch(DEFAULT_ACCESS_SEARCH.state).default(DEFAULT_ACCESS_SEARCH.state),
  /** Only the person's own. */
  mine: z.literal('yes').optional().catch(undefined),
  /** The dialog is open: for this device, or `tag` for the devices with a tag. */
  device: DeviceUid.or(z.literal('tag')).optional().catch(undefined),
})
export type AccessRequestsSearch = z.output<typeof AccessRequestsSearch>
