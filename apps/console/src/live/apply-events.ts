// Applies live events to the query cache. Pure list functions first; `applyEvents` writes a whole batch at once. A
// visible row is replaced in place (rows do not jump under the pointer); changes on pages that this tab does not know
// are left to a refetch.
import type { Device } from '@bowline/contract/schemas/device'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Session } from '@bowline/contract/schemas/session'
import type { QueryClient } from '@tanstack/react-query'

/** One page of a list, as cached. */
export interface ListPage<T> {
  readonly items: readonly T[]
  /** Of the whole list. */
  readonly total: number
  /** The server's time of the answer, in milliseconds since the epoch. */
  readonly answeredAt: number
}

/** The part of a query key that describes a device list. */
export interface DeviceListSearch {
  readonly status: string
  readonly page: number
  readonly per_page: number
  readonly sort_by: string
  readonly order_by: string
  /** An API filter; only the server can tell whether a device passes it. */
  readonly filter?: string | undefined
  /** The list depends on which devices are online. */
  readonly byPresence?: boolean
}

/** The part of a query key that describes a session list. */
export interface SessionListSearch {
  readonly page: number
  readonly perPage: number
  /** An API filter; only the server can tell whether a session passes it. */
  readonly filter?: string | undefined
  /** Undefined: last seen first. Only the server knows where a session goes in another order. */
  readonly sorted?: string | undefined
}

/** Query keys, here because events and pages must agree on them. */
export const keys = {
  devices: ['devices'] as const,
  deviceLists: ['devices', 'list'] as const,
  deviceList: (search: DeviceListSearch) => ['devices', 'list', search] as const,
  oneDevice: ['devices', 'one'] as const,
  device: (uid: string) => ['devices', 'one', uid] as const,
  containers: ['containers'] as const,
  presence: ['presence'] as const,
  health: ['health'] as const,
  favorites: ['favorites'] as const,
  deviceJobs: ['device-jobs'] as const,
  views: ['views'] as const,
  sessions: ['sessions'] as const,
  sessionLists: ['sessions', 'list'] as const,
  sessionList: (search: SessionListSearch) => ['sessions', 'list', search] as const,
  sessionGroups: ['sessions', 'groups'] as const,
  session: (uid: string) => ['sessions', 'one', uid] as const,
  /** Beside sessions: what is refetched with these would be all parts of a recording otherwise. */
  recordingLists: ['recording-lists'] as const,
  watchers: ['watchers'] as const,
  watchersOf: (uid: string) => ['watchers', uid] as const,
  stats: ['stats'] as const,
  namespaces: ['namespaces'] as const,
  namespace: (tenant: string) => ['namespaces', tenant] as const,
  publicKeys: ['public-keys'] as const,
  firewall: ['firewall'] as const,
  accessRequests: ['access-requests'] as const,
  tags: ['tags'] as const,
  heldLogins: ['held-logins'] as const,
  tunnelRequests: ['tunnel-requests'] as const,
  billing: ['billing'] as const,
}

/** Everything that may have changed while the stream was down. */
export const LIVE_KEYS = [
  keys.devices,
  keys.containers,
  keys.sessions,
  keys.recordingLists,
  keys.watchers,
  keys.stats,
  keys.namespaces,
  keys.publicKeys,
  keys.firewall,
  keys.accessRequests,
  keys.tags,
  keys.heldLogins,
  keys.deviceJobs,
  keys.tunnelRequests,
  keys.billing,
] as const

/** Everything that `policy.changed` may affect. */
const POLICY_KEYS = [keys.publicKeys, keys.firewall, keys.namespaces, keys.billing] as const

/** Events that change no number of the overview. */
const NOT_COUNTED: readonly LiveEvent['type'][] = ['tunnels.used', 'device-jobs.changed']

/** Allowed clock difference between the nodes of a server. */
const CLOCK_SLACK_MS = 2_000

export interface Placed<T> {
  readonly page: ListPage<T>
  /** The page may no longer hold the right rows. */
  readonly stale: boolean
}

/** Updates a device in a device list of one status. */
export function placeDevice(page: ListPage<Device>, search: DeviceListSearch, device: Device): Placed<Device> {
  const belongs = device.status === search.status
  const index = page.items.findIndex((item) => item.uid === device.uid)
  if (index >= 0 && belongs) {
    return { page: { ...page, items: page.items.with(index, device) }, stale: search.byPresence === true }
  }
  if (index >= 0) return { page: withoutItem(page, device.uid), stale: true }
  // Not on this page. It joined the list only if its status changed after the list was fetched.
  const moved = Date.parse(device.status_updated_at) >= page.answeredAt - CLOCK_SLACK_MS
  if (!moved) return { page, stale: belongs && search.byPresence === true }
  const newestFirst = search.order_by === 'desc' && search.sort_by !== 'name'
  if (!belongs || search.page !== 1 || !newestFirst || search.filter !== undefined) return { page, stale: true }
  const items = [device, ...page.items].slice(0, search.per_page)
  return { page: { ...page, items, total: page.total + 1 }, stale: true }
}

/** The page without one row, total included. The same object when the row is not on it. */
export function withoutItem<T extends { uid: string }>(page: ListPage<T>, uid: string): ListPage<T> {
  const items = page.items.filter((item) => item.uid !== uid)
  return items.length === page.items.length ? page : { ...page, items, total: Math.max(0, page.total - 1) }
}

/** Puts a row back in its old place, unless it has already come back. */
export function withItemAt<T extends { uid: string }>(page: ListPage<T>, item: T, index: number): ListPage<T> {
  if (page.items.some(({ uid }) => uid === item.uid)) return page
  return { ...page, items: page.items.toSpliced(index, 0, item), total: page.total + 1 }
}

/** Updates a session in the list; a new one goes to the top of the first page. */
export function placeSession(
  page: ListPage<Session>,
  search: SessionListSearch,
  session: Session,
  started: boolean,
): Placed<Session> {
  const index = page.items.findIndex((item) => item.uid === session.uid)
  // Only the server can tell whether it still passes a filter.
  const isElsewhere = search.filter !== undefined || search.sorted !== undefined
  if (index >= 0) {
    return { page: { ...page, items: page.items.with(index, session) }, stale: isElsewhere }
  }
  if (!started) return { page, stale: false }
  if (search.page !== 1 || isElsewhere) return { page, stale: true }
  const items = [session, ...page.items].slice(0, search.perPage)
  return { page: { ...page, items, total: page.total + 1 }, stale: false }
}

/**
 * Writes a batch of events to the cache.
 * @returns the query keys to refetch; the caller decides when
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
  // Few of them are known one by one, however many have changed.
  const latest = new Map(devices.map((device) => [device.uid, device]))
  const gone = new Set<string>(removed)
  for (const [key, before] of queryClient.getQueriesData<Device>({ queryKey: keys.oneDevice })) {
    const device = before && latest.get(before.uid)
    if (device) queryClient.setQueryData(key, device)
    if (gone.has(String(key[2]))) stale.push(key)
  }

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
  // The list has no events of a session, so its page is refetched.
  for (const { session } of sessions) stale.push(keys.session(session.uid))
  // Counts of sessions change when one begins or ends.
  if (sessions.some(({ type }) => type !== 'session.changed')) stale.push(keys.sessionGroups)
  if (sessions.some(({ session }) => session.recorded)) stale.push(keys.recordingLists)
  for (const { session } of sessions) {
    queryClient.setQueryData<readonly string[]>(keys.watchersOf(session.uid), (before) => before && session.watchers)
  }
  if (events.some((event) => event.type.startsWith('member.'))) stale.push(keys.namespaces)
  // Rules forget members who leave.
  if (events.some((event) => event.type === 'member.removed')) stale.push(keys.firewall)
  if (events.some((event) => event.type === 'policy.changed')) stale.push(...POLICY_KEYS)
  if (events.some((event) => event.type === 'access-requests.changed')) stale.push(keys.accessRequests)
  if (events.some((event) => event.type === 'held-logins.changed')) stale.push(keys.heldLogins)
  if (events.some((event) => event.type === 'device-jobs.changed')) stale.push(keys.deviceJobs)
  // Containers are devices of another platform: their events do not say which list they are in.
  if (devices.length || removed.length) stale.push(keys.tags, keys.containers, keys.billing)
  if (events.some((event) => event.type === 'tunnels.used')) stale.push(keys.tunnelRequests)
  if (events.some(({ type }) => !NOT_COUNTED.includes(type))) stale.push(keys.stats)
  return stale
}
