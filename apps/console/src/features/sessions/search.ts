// URL search parameters of the sessions page, and the list they select.
import { type SessionSort, SESSION_GROUP_SORTS, SESSION_SORTS } from '@bowline/contract/operations/sessions'
import { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import {
  SESSION_GROUPINGS,
  SESSION_METHODS,
  type Session,
  type SessionGroup,
  type SessionGrouping,
  type SessionMethod,
} from '@bowline/contract/schemas/session'
import { z } from 'zod'
import { type ConditionGroup, encodeFilter, startOfDay, where } from '../../core/list-filter.ts'
import { type SessionGroupQuery, type SessionListQuery, SESSIONS_PER_PAGE, SESSION_PAGE_SIZES } from './queries.ts'

export const DEFAULT_SESSIONS_SEARCH = { page: 1 } as const

export const SESSION_STATES = ['active', 'ended', 'refused'] as const
export type SessionState = (typeof SESSION_STATES)[number]

/** Activities of a session, each with the events that show it. */
export const ACTIVITIES = {
  shell: ['shell'],
  command: ['exec'],
  files: ['subsystem'],
  forward: ['direct-tcpip', 'direct-streamlocal', 'tcpip-forward', 'streamlocal-forward'],
} as const
export type Activity = keyof typeof ACTIVITIES
export const ACTIVITY_NAMES = ['shell', 'command', 'files', 'forward'] as const satisfies readonly Activity[]

export const SESSION_CLIENTS = ['term', 'web'] as const satisfies readonly Session['type'][]

const Day = z.iso.date().optional().catch(undefined)

/** Invalid values are ignored: a mistyped URL shows the list, not an error. */
export const SessionsSearch = z.object({
  page: z.coerce.number().int().min(1).catch(DEFAULT_SESSIONS_SEARCH.page).default(DEFAULT_SESSIONS_SEARCH.page),
  /** Words to search for in devices, logins, people, addresses, keys and commands. */
  q: z.string().trim().max(64).optional().catch(undefined),
  device: DeviceUid.optional().catch(undefined),
  state: z.enum(SESSION_STATES).optional().catch(undefined),
  recorded: z.enum(['yes', 'no']).optional().catch(undefined),
  /** A member, or sessions that name nobody. */
  person: z
    .union([UserId, z.literal('unknown')])
    .optional()
    .catch(undefined),
  method: z.enum(SESSION_METHODS).optional().catch(undefined),
  /** Fingerprint of a key. */
  key: z
    .string()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}$/)
    .optional()
    .catch(undefined),
  did: z.enum(ACTIVITY_NAMES).optional().catch(undefined),
  /** Address that the person came from. */
  ip: z.union([z.ipv4(), z.ipv6()]).optional().catch(undefined),
  /** Client that the sessions came with. */
  client: z.enum(SESSION_CLIENTS).optional().catch(undefined),
  /** Days of the console's time zone, `2026-11-20`; both inclusive. */
  from: Day,
  to: Day,
  /** Devices or people with their numbers of sessions in place of sessions. */
  group: z.enum(SESSION_GROUPINGS).optional().catch(undefined),
  /** The groups that these sessions were opened from, to return to. */
  of: z.enum(SESSION_GROUPINGS).optional().catch(undefined),
  sort: z.enum(SESSION_SORTS).optional().catch(undefined),
  /** Order of groups. */
  rank: z.enum(SESSION_GROUP_SORTS).optional().catch(undefined),
  order: z.enum(['asc', 'desc']).optional().catch(undefined),
  /** Rows of a page. */
  size: z.coerce.number().pipe(z.literal(SESSION_PAGE_SIZES)).optional().catch(undefined),
  /** Visible columns; absent: those that this browser showed last. */
  cols: z.array(z.string().max(32)).min(1).max(16).optional().catch(undefined),
})
export type SessionsSearch = z.infer<typeof SessionsSearch>

/** Parameters that narrow the list. */
const NARROWING = [
  'q',
  'device',
  'state',
  'recorded',
  'person',
  'method',
  'key',
  'did',
  'ip',
  'client',
  'from',
  'to',
] as const

/** Parameters of the address that a view of the list saves. */
export const SAVED = ['group', 'sort', 'rank', 'order', 'size', 'cols', ...NARROWING] as const

type Narrowing = Partial<Pick<SessionsSearch, (typeof NARROWING)[number]>>

/** The search with nothing but `narrowing` to narrow the list; order and page size stay. */
export function narrowedTo(search: SessionsSearch, narrowing: Narrowing): SessionsSearch {
  const gone = Object.fromEntries(NARROWING.map((name) => [name, undefined]))
  return { ...search, ...gone, of: undefined, ...narrowing, page: 1 }
}

/** True if the list is narrowed by exactly this. */
export function isNarrowedTo(search: SessionsSearch, narrowing: Narrowing): boolean {
  return NARROWING.every((name) => (search[name] ?? '') === (narrowing[name] ?? ''))
}

/** True when anything narrows the list. */
export function isFiltered(search: SessionsSearch): boolean {
  return sessionFilter(search) !== undefined
}

/** Of a list whose address names none: that of a column which it shows, so that the column can say so. */
export const DEFAULT_SORT = 'started_at' satisfies SessionSort

/** The list for a URL. */
export function sessionListOf(search: SessionsSearch): SessionListQuery {
  const { page, size: perPage = SESSIONS_PER_PAGE, sort = DEFAULT_SORT } = search
  return { page, perPage, filter: sessionFilter(search), sort, order: search.order ?? orderOf(sort) }
}

/** The groups for a URL; undefined where it asks for none. */
export function sessionGroupsOf(search: SessionsSearch): SessionGroupQuery | undefined {
  const { group: by, page, size: perPage = SESSIONS_PER_PAGE, rank: sort = 'last_started_at', order = 'desc' } = search
  return by && { by, page, perPage, filter: sessionFilter(search), sort, order }
}

/** The search grouped by something else, or not at all: each has orders of its own. */
export function groupedBy(search: SessionsSearch, group: SessionsSearch['group']): SessionsSearch {
  return { ...search, group, of: undefined, sort: undefined, rank: undefined, order: undefined, page: 1 }
}

/** The sessions of one group. */
export function openedGroup(search: SessionsSearch, { device, person }: SessionGroup): SessionsSearch {
  const one = device ? { device: device.uid } : { person: person?.id ?? ('unknown' as const) }
  return { ...groupedBy(search, undefined), ...one, of: search.group, rank: search.rank }
}

/** The groups that the search was opened from, in their order. */
export function closedGroup(search: SessionsSearch, of: SessionGrouping): SessionsSearch {
  return { ...groupedBy(search, of), [of]: undefined, rank: search.rank }
}

/** The order in which a column is sorted first. */
export function orderOf(sort: SessionSort): 'asc' | 'desc' {
  return sort === 'last_seen' || sort === 'started_at' || sort === 'active' ? 'desc' : 'asc'
}

/** Of a search; each is two of the conditions of a filter, which has other uses for some. */
const MAX_WORDS = 4

/** `ip:10.0.` asks for the address alone. */
const OF_ADDRESS = /^ip:(?<part>.+)$/i

/** Each word must occur in what is known of a session or in the name of its device: `root@lab` and `lab root` are alike. */
function searchGroups(text: string): ConditionGroup[] {
  const words = text.split(/[\s@]+/).filter(Boolean)
  // What cannot be split further is searched as it is.
  const wanted = words.length === 0 && text !== '' ? [text] : words
  return wanted.slice(0, MAX_WORDS).map((word) => {
    const part = OF_ADDRESS.exec(word)?.groups?.['part']
    if (part !== undefined) return { join: 'and', conditions: [where('ip_address', 'contains', part)] }
    return { join: 'or', conditions: [where('words', 'contains', word), where('device_name', 'contains', word)] }
  })
}

/**
 * The method as people know it. Web terminals ask for the password on the device by the prompts of keyboard-interactive, which
 * nobody has chosen there: it is a password. From `ssh` it is what the client has offered.
 */
export function shownMethod(method: SessionMethod, type: Session['type']): SessionMethod {
  return method === 'keyboard-interactive' && type === 'web' ? 'password' : method
}

/** What {@link shownMethod} calls a password. */
const BY_PASSWORD: readonly ConditionGroup[] = [
  { join: 'or', conditions: [where('method', 'eq', 'password'), where('type', 'eq', 'web')] },
  { join: 'or', conditions: [where('method', 'eq', 'password'), where('method', 'eq', 'keyboard-interactive')] },
]

/** The API filter for a URL; undefined for everything. */
export function sessionFilter(search: Partial<SessionsSearch>): string | undefined {
  const { q = '', device, state, recorded, person, method, key, did, ip, client, from, to } = search
  const all = [
    ...(device === undefined ? [] : [where('device_uid', 'eq', device)]),
    ...(state === 'active' ? [where('active', 'bool', true)] : []),
    ...(state === 'ended' ? [where('closed', 'bool', true), where('authenticated', 'bool', true)] : []),
    ...(state === 'refused' ? [where('closed', 'bool', true), where('authenticated', 'bool', false)] : []),
    ...(recorded === undefined ? [] : [where('recorded', 'bool', recorded === 'yes')]),
    ...(person === undefined || person === 'unknown' ? [] : [where('person_id', 'eq', person)]),
    ...(person === 'unknown' ? [where('person_known', 'bool', false)] : []),
    ...(method === 'publickey' ? [where('method', 'eq', method)] : []),
    ...(method === 'keyboard-interactive' ? [where('method', 'eq', method), where('type', 'ne', 'web')] : []),
    ...(key === undefined ? [] : [where('fingerprint', 'eq', key)]),
    ...(ip === undefined ? [] : [where('ip_address', 'eq', ip)]),
    ...(client === undefined ? [] : [where('type', 'eq', client)]),
    ...(from === undefined ? [] : [where('started_at', 'gt', startOfDay(from, -1))]),
    ...(to === undefined ? [] : [where('started_at', 'lt', startOfDay(to, 0, 1))]),
  ]
  const groups: ConditionGroup[] = [{ join: 'and', conditions: all }]
  if (method === 'password') groups.unshift(...BY_PASSWORD)
  if (did !== undefined) {
    groups.unshift({ join: 'or', conditions: ACTIVITIES[did].map((type) => where('event_types', 'eq', type)) })
  }
  return encodeFilter([...searchGroups(q), ...groups])
}
