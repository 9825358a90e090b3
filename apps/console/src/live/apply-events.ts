// What live events mean for the cached answers. Pure list functions first; `applyEvents` writes a whole batch at once.
// A row that is on screen is replaced in place (rows do not jump under the pointer); what may have come to or gone from
// a page that this tab cannot know is left to a fetch.
import type { Device } from '@bowline/contract/schemas/device'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Session } from '@bowline/contract/schemas/session'
import type { QueryClient } from '@tanstack/react-query'

/** One page of a list as the cache holds it. */
export interface ListPage<T> {
  readonly items: readonly T[]
  /** Of the whole list. */
  readonly total: number
  /** When the server answered, by its own clock, in milliseconds since the epoch. */
  readonly answeredAt: number
}

/** The part of a query key that says what a list of devices holds. */
export interface DeviceListSearch {
  readonly status: string
  readonly page: number
  readonly per_page: number
  readonly sort_by: string
  readonly order_by: string
  /** Filter of the API; only the server can tell whether a device passes it. */
  readonly filter?: string | undefined
  /** Coming and going of a device changes the list. */
  readonly byPresence?: boolean
}

/** The part of a query key that says what a list of sessions holds. */
export interface SessionListSearch {
  readonly page: number
  readonly perPage: number
  /** Filter of the API; only the server can tell whether a session passes it. */
  readonly filter?: string | undefined
}

/** Query keys, here because events and pages must agree on them. */
export const keys = {
  devices: ['devices'] as const,
  deviceLists: ['devices', 'list'] as const,
  deviceList: (search: DeviceListSearch) => ['devices', 'list', search] as const,
  device: (uid: string) => ['devices', 'one', uid] as const,
  containers: ['containers'] as const,
  sessions: ['sessions'] as const,
  sessionLists: ['sessions', 'list'] as const,
  sessionList: (search: SessionListSearch) => ['sessions', 'list', search] as const,
  session: (uid: string) => ['sessions', 'one', uid] as const,
  stats: ['stats'] as const,
  namespaces: ['namespaces'] as const,
  namespace: (tenant: string) => ['namespaces', tenant] as const,
  publicKeys: ['public-keys'] as const,
  firewall: ['firewall'] as const,
  tags: ['tags'] as const,
}

/** What may have changed while nothing was heard. */
export const LIVE_KEYS = [
  keys.devices,
  keys.containers,
  keys.sessions,
  keys.stats,
  keys.namespaces,
  keys.publicKeys,
  keys.firewall,
  keys.tags,
] as const

/** What `policy.changed` may be about. */
const POLICY_KEYS = [keys.publicKeys, keys.firewall, keys.namespaces] as const

/** Server clocks of several nodes may differ a little. */
const CLOCK_SLACK_MS = 2_000

export interface Placed<T> {
  readonly page: ListPage<T>
  /** The page can no longer be trusted to hold the right rows. */
  readonly stale: boolean
}

/** Puts a device as it is now into a list of devices with one status. */
export function placeDevice(page: ListPage<Device>, search: DeviceListSearch, device: Device): Placed<Device> {
  const belongs = device.status === search.status
  const index = page.items.findIndex((item) => item.uid === device.uid)
  if (index >= 0 && belongs) {
    return { page: { ...page, items: page.items.with(index, device) }, stale: search.byPresence === true }
  }
  if (index >= 0) return { page: withoutItem(page, device.uid), stale: true }
  // It is not on this page. It came to the list only if its status changed after the list was made.
  const moved = Date.parse(device.status_updated_at) >= page.answeredAt - CLOCK_SLACK_MS
  if (!moved) return { page, stale: belongs && search.byPresence === true }
  const newestFirst = search.order_by === 'desc' && search.sort_by !== 'name'
  if (!belongs || search.page !== 1 || !newestFirst || search.filter !== undefined) return { page, stale: true }
  const items = [device, ...page.items].slice(0, search.per_page)
  return { page: { ...page, items, total: page.total + 1 }, stale: true }
}

/** A page without one row; the total follows. The same page when the row is not on it. */
export function withoutItem<T extends { uid: string }>(page: ListPage<T>, uid: string): ListPage<T> {
  const items = page.items.filter((item) => item.uid !== uid)
  return items.length === page.items.length ? page : { ...page, items, total: Math.max(0, page.total - 1) }
}

/** Puts a row back where it was, unless it has come back by itself. */
export function withItemAt<T extends { uid: string }>(page: ListPage<T>, item: T, index: number): ListPage<T> {
  if (page.items.some(({ uid }) => uid === item.uid)) return page
  return { ...page, items: page.items.toSpliced(index, 0, item), total: page.total + 1 }
}

/** Puts a session as it is now into the list; a new one goes to the top of the first page. */
export function placeSession(
  page: ListPage<Session>,
  search: SessionListSearch,
  session: Session,
  started: boolean,
): Placed<Session> {
  const index = page.items.findIndex((item) => item.uid === session.uid)
  // Whether it still passes a filter, only the server can tell.
  if (index >= 0) {
    return { page: { ...page, items: page.items.with(index, session) }, stale: search.filter !== undefined }
  }
  if (!started) return { page, stale: false }
  if (search.page !== 1 || search.filter !== undefined) return { page, stale: true }
  const items = [session, ...page.items].slice(0, search.perPage)
  return { page: { ...page, items, total: page.total + 1 }, stale: false }
}

/**
 * Writes a batch of events into the cache.
 * @returns the keys of what must be fetched again; the caller decides when
 */
export function applyEvents(queryClient: QueryClient, events: readonly LiveEvent[]): (readonly unknown[])[] {
  if (events.some((event) => event.type === 'reset')) return [...LIVE_KEYS]
  const stale: (readonly unknown[])[] = []
  const devices = events.flatMap((event) => ('device' in event ? [event.device] : []))
  const removed = events.flatMap((event) => (event.type === 'device.removed' ? [event.uid] : []))

  for (const [key, before] of queryClient.getQueriesData<ListPage<Device>>({ queryKey: keys.deviceLists })) {
    const search = key[2] as DeviceListSearch
    if (!before) continue
    let page = before
    let needsFetch = false
    for (const device of devices) {
      const placed = placeDevice(page, search, device)
      page = placed.page
      needsFetch ||= placed.stale
    }
    for (const uid of removed) page = withoutItem(page, uid)
    if (page !== before) queryClient.setQueryData(key, page)
    if (needsFetch || removed.length) stale.push(key)
  }
  for (const device of devices) {
    queryClient.setQueryData<Device>(keys.device(device.uid), (before) => before && device)
  }
  for (const uid of removed) stale.push(keys.device(uid))

  const sessions = events.flatMap((event) => ('session' in event ? [event] : []))
  for (const [key, before] of queryClient.getQueriesData<ListPage<Session>>({ queryKey: keys.sessionLists })) {
    const search = key[2] as SessionListSearch
    if (!before) continue
    let page = before
    let needsFetch = false
    for (const { session, type } of sessions) {
      const placed = placeSession(page, search, session, type === 'session.started')
      page = placed.page
      needsFetch ||= placed.stale
    }
    if (page !== before) queryClient.setQueryData(key, page)
    if (needsFetch) stale.push(key)
  }
  // The list has no events of a session, so that one is asked for anew.
  for (const { session } of sessions) stale.push(keys.session(session.uid))
  if (events.some((event) => event.type.startsWith('member.'))) stale.push(keys.namespaces)
  if (events.some((event) => event.type === 'policy.changed')) stale.push(...POLICY_KEYS)
  // Containers are devices of another platform: their events do not say which list they are of.
  if (devices.length || removed.length) stale.push(keys.tags, keys.containers)
  stale.push(keys.stats)
  return stale
}
