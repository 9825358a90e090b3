// URL search parameters of the devices page.
import { z } from 'zod'
import { PRESENCES } from '../../../core/devices/device-filter.ts'
import { DEVICE_SORTS, type DeviceListQuery } from '../../../core/devices/queries.ts'

export const DEVICE_TABS = ['accepted', 'pending', 'rejected', 'removed'] as const
export type DeviceTab = (typeof DEVICE_TABS)[number]

export const DEFAULT_DEVICES_SEARCH = { status: 'accepted', page: 1 } as const

/** Invalid values fall back to their defaults: a mistyped URL shows the list, not an error. */
export const DevicesSearch = z.object({
  status: z.enum(DEVICE_TABS).catch(DEFAULT_DEVICES_SEARCH.status).default(DEFAULT_DEVICES_SEARCH.status),
  page: z.coerce.number().int().min(1).catch(DEFAULT_DEVICES_SEARCH.page).default(DEFAULT_DEVICES_SEARCH.page),
  sort: z.enum(DEVICE_SORTS).optional().catch(undefined),
  order: z.enum(['asc', 'desc']).optional().catch(undefined),
  /** Words to search for. */
  q: z.string().trim().max(64).optional().catch(undefined),
  /** Only devices with this tag. */
  tag: z.string().max(255).optional().catch(undefined),
  /** Only devices that are online, or only those that are offline. */
  presence: z.enum(PRESENCES).optional().catch(undefined),
  /** The add-device dialog is open. */
  add: z.enum(['yes']).optional().catch(undefined),
})
export type DevicesSearch = z.infer<typeof DevicesSearch>

/** The list for a URL. By default accepted devices are sorted by last seen, others by request time. */
export function deviceListOf(search: DevicesSearch): DeviceListQuery {
  const { status, page } = search
  const presence = status === 'accepted' ? search.presence : undefined
  const sort = search.sort ?? (status === 'accepted' ? 'last_seen' : 'created_at')
  const order = search.order ?? (sort === 'name' ? 'asc' : 'desc')
  return { status, page, sort, order, words: search.q ?? '', tag: search.tag ?? '', presence }
}
