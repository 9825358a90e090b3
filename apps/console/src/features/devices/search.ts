// URL search parameters of the devices page.
import { KEYWORD_NAMES, keywordOf } from '@bowline/contract/schemas/lists/device-search'
import { z } from 'zod'
import { type DeviceChoices, PRESENCES, SEEN, TROUBLE_CHOICES } from '../../core/devices/device-filter.ts'
import { DEVICES_PER_PAGE, DEVICE_SORTS, type DeviceListQuery, PAGE_SIZES } from '../../core/devices/queries.ts'

export const DEVICE_TABS = ['accepted', 'pending', 'rejected', 'removed'] as const
export type DeviceTab = (typeof DEVICE_TABS)[number]

export const DEFAULT_DEVICES_SEARCH = { status: 'accepted', page: 1 } as const

/** Values to choose from; a single one may stand alone, as people type it. */
const Values = z
  .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.string().max(255)).min(1).max(8))
  .optional()
  .catch(undefined)

/** Ways to add a device, in the order of their tabs. */
export const ADD_WAYS = ['linux', 'container', 'cloud', 'fleet', 'agentless', 'code'] as const
export type AddWay = (typeof ADD_WAYS)[number]

/** Invalid values fall back to their defaults: a mistyped URL shows the list, not an error. */
export const DevicesSearch = z.object({
  status: z.enum(DEVICE_TABS).catch(DEFAULT_DEVICES_SEARCH.status).default(DEFAULT_DEVICES_SEARCH.status),
  page: z.coerce.number().int().min(1).catch(DEFAULT_DEVICES_SEARCH.page).default(DEFAULT_DEVICES_SEARCH.page),
  sort: z.enum(DEVICE_SORTS).optional().catch(undefined),
  order: z.enum(['asc', 'desc']).optional().catch(undefined),
  /** Words to search for. */
  q: z.string().trim().max(64).optional().catch(undefined),
  /** Only devices with one of these tags, systems and so on. */
  tag: Values,
  system: Values,
  arch: Values,
  version: Values,
  /** Only devices that are online, or only those that are offline. */
  presence: z.enum(PRESENCES).optional().catch(undefined),
  seen: z.enum(SEEN).optional().catch(undefined),
  /** Favourites only. */
  fav: z.enum(['yes']).optional().catch(undefined),
  /** Devices whose host key has changed only. */
  hostKey: z.enum(['changed']).optional().catch(undefined),
  trouble: z.enum(TROUBLE_CHOICES).optional().catch(undefined),
  /** Devices that went offline in this incident only. */
  incident: z.coerce
    .string()
    .regex(/^\d{1,18}$/)
    .optional()
    .catch(undefined),
  /** Devices in this cell of the map only. */
  cell: z
    .string()
    .regex(/^-?\d{1,5}:-?\d{1,5}:[\d.]{1,5}$/)
    .optional()
    .catch(undefined),
  /** Rows of a page. */
  size: z.coerce.number().pipe(z.literal(PAGE_SIZES)).optional().catch(undefined),
  /** Visible columns, in order; absent: those that this browser showed last. */
  cols: Values,
  /** The add-device dialog is open, at one of its ways. */
  /** `yes`: the way that was chosen last; `many`, of earlier links: the rollout. */
  add: z
    .enum(['yes', 'many', ...ADD_WAYS])
    .transform((way) => (way === 'many' ? 'fleet' : way))
    .optional()
    .catch(undefined),
})
export type DevicesSearch = z.infer<typeof DevicesSearch>

/** Parameters that narrow the list. */
export const NARROWING = [
  'q',
  'tag',
  'system',
  'arch',
  'version',
  'presence',
  'seen',
  'fav',
  'hostKey',
  'trouble',
  'incident',
  'cell',
] as const

/** Parameters of the address that a view of the list saves. */
export const SAVED = ['status', 'sort', 'order', 'size', 'cols', ...NARROWING] as const

/** A change of the search that takes away what narrows it. */
export const CLEARED: Partial<DevicesSearch> = Object.fromEntries(NARROWING.map((name) => [name, undefined]))

/** The search without what is of one tab: its page, order and columns. It changes only with what narrows the list. */
export function inTab(search: DevicesSearch, status: DeviceTab): DevicesSearch {
  const own = { sort: undefined, order: undefined, cols: undefined, add: undefined }
  return { ...search, ...DEFAULT_DEVICES_SEARCH, ...own, status }
}

/** A keyword whose value is still to be typed, at the end of the words. */
const OPEN_WORD = /(?:^|\s)-?([a-z]+):"?$/i

/** Keywords of the search in one line, for people. */
export const KEYWORDS_LINE = KEYWORD_NAMES.map((name) => `${name}:`).join(' ')

function closedWords(words: string): string {
  const name = OPEN_WORD.exec(words)?.[1]
  return (name !== undefined && keywordOf(name) !== undefined ? words.replace(OPEN_WORD, '') : words).trim()
}

export function choicesOf(search: DevicesSearch): DeviceChoices {
  const { status, q = '', tag, system, arch, version, seen, fav, hostKey, trouble, incident, cell } = search
  // Only accepted devices connect.
  const presence = status === 'accepted' ? search.presence : undefined
  const lists = { tags: tag, systems: system, archs: arch, versions: version }
  const marks = {
    favorites: fav === 'yes' ? true : undefined,
    hostKeyChanged: hostKey === 'changed' ? true : undefined,
  }
  return { words: closedWords(q), ...lists, presence, seen, ...marks, trouble, incident, cell }
}

/** The list for a URL. By default accepted devices are sorted by last seen, others by request time. */
export function deviceListOf(search: DevicesSearch): DeviceListQuery {
  const { status, page, size: perPage = DEVICES_PER_PAGE } = search
  const sort = search.sort ?? (status === 'accepted' ? 'last_seen' : 'created_at')
  const order = search.order ?? (sort === 'last_seen' || sort === 'created_at' ? 'desc' : 'asc')
  return { status, page, perPage, sort, order, ...choicesOf(search) }
}
