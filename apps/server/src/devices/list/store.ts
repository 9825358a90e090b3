// SQL of device lists: pages, all uids of a list, and the values that it has.
import type { DeviceSort, FacetName } from '@bowline/contract/operations/devices'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { DEVICE_STATUSES, type DeviceStatus } from '@bowline/contract/schemas/device'
import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { countRows } from '../../db/lists/count.ts'
import { readPage } from '../../db/lists/page.ts'
import { totalOf } from '../../db/lists/row-counts.ts'
import type { Schema } from '../../db/schema.ts'
import { online } from '../../db/lists/online.ts'
import { troublesOfDevice } from '../../device-health/troubles-store.ts'
import { type DeviceKind, type DeviceRow, findDevices } from '../store.ts'
import { DEVICE_ORDERS } from './properties.ts'

/** What a list holds, whatever its order. */
export interface DeviceScope {
  readonly kind: DeviceKind
  readonly status: DeviceStatus | ''
  /** Compiled filter of the request. */
  readonly where: Expression<SqlBool> | undefined
}

export interface DeviceQuery extends DeviceScope {
  readonly sortBy: DeviceSort
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** A page of devices, with the total number of matches. */
export function listDevices(
  db: Kysely<Schema>,
  query: DeviceQuery,
): Promise<{ rows: readonly DeviceRow[]; total: number }> {
  const { where, kind, status } = query
  return readPage(db, query, {
    total: (one) => (where ? countDevicesOf(one, query) : totalOf(one, kind, status === '' ? undefined : status)),
    async read(one, page, opposite) {
      const order = opposite ? reversed(query.order) : query.order
      return findInOrder(one, await selectUids(one, { ...query, ...page, order }))
    },
    isTotalKept: where === undefined,
  })
}

/** Number of devices in a list, counted row by row. */
export function countDevicesOf(db: Kysely<Schema>, scope: DeviceScope): Promise<number> {
  return countRows(matching(db, scope))
}

/** Devices in the order of the uids. Rows may have been removed since the uids were read: those are left out. */
export async function findInOrder(db: Kysely<Schema>, uids: readonly DeviceUid[]): Promise<DeviceRow[]> {
  const rows = new Map((await findDevices(db, uids)).map((row) => [row.uid, row]))
  return uids.flatMap((uid) => rows.get(uid) ?? [])
}

/** Unordered rows of a list. */
export function matching(db: Kysely<Schema>, { kind, status, where }: DeviceScope) {
  let select = db.selectFrom('devices').where('kind', '=', kind)
  if (status !== '') select = select.where('status', '=', status)
  return where ? select.where(where) : select
}

function reversed(order: 'asc' | 'desc'): 'asc' | 'desc' {
  return order === 'asc' ? 'desc' : 'asc'
}

/**
 * Selects the devices of a page, from an index alone unless other columns are filtered or sorted by. An online device is
 * seen now, whatever is stored of it: sorted by last_seen, all that are online are more recent than all that are not.
 */
export async function selectUids(db: Kysely<Schema>, query: DeviceQuery): Promise<DeviceUid[]> {
  if (query.sortBy !== 'last_seen') return selectRange(db, query)
  const [near, far] = query.order === 'desc' ? [online, offline] : [offline, online]
  const within = (presence: RawBuilder<boolean>): DeviceQuery => ({
    ...query,
    where: query.where ? sql<boolean>`(${query.where}) and ${presence}` : presence,
  })
  const first = await selectRange(db, within(near))
  if (first.length === query.limit) return first
  const passed = first.length > 0 ? query.offset + first.length : await countDevicesOf(db, within(near))
  const rest = { limit: query.limit - first.length, offset: Math.max(0, query.offset - passed) }
  return [...first, ...(await selectRange(db, { ...within(far), ...rest }))]
}

const offline = sql<boolean>`not (${online})`

/**
 * Every status has its own range of the indexes: a list of all statuses merges five. Ties are broken by uid in the opposite
 * direction, as in the indexes; sorting by status is refined by last_seen in the same direction. Orders without an index
 * sort the whole list, of which only the page's rows are kept: an index for each would be written at every reconnect.
 */
async function selectRange(db: Kysely<Schema>, query: DeviceQuery): Promise<DeviceUid[]> {
  const { sortBy, order, limit, offset } = query
  const place = DEVICE_ORDERS[sortBy]
  const statuses = query.status === '' ? DEVICE_STATUSES : [query.status]
  const ranges = statuses.map((status) =>
    matching(db, { ...query, status })
      .select(['uid', 'status', place.as('place')])
      .orderBy(place, order)
      .orderBy('uid', reversed(order))
      .limit(limit + offset),
  )
  const { rows } = await sql<{ uid: DeviceUid }>`select uid from (${sql.join(ranges, sql` union all `)}) as page
    order by ${sortBy === 'status' ? sql`status ${sql.raw(order)},` : sql``} place ${sql.raw(order)}, uid ${sql.raw(reversed(order))}
    limit ${limit} offset ${offset}`.execute(db)
  return rows.map((row) => row.uid)
}

export interface FacetValue {
  readonly value: string
  readonly count: number
}

const FACETS: Readonly<Record<FacetName, RawBuilder<string>>> = {
  tag: sql`unnest(devices.tags)`,
  system: sql`devices.info->>'pretty_name'`,
  arch: sql`devices.info->>'arch'`,
  version: sql`devices.info->>'version'`,
  online: sql`case when ${online} then 'online' else 'offline' end`,
  host_key: sql`case when devices.presented_host_key is not null then 'changed'
    when devices.ssh_host_key is not null then 'unchanged' end`,
  trouble: sql`unnest(${troublesOfDevice})`,
}

/** Values of a property in a list with the number of devices that have each, the most frequent first. */
export function countValues(
  db: Kysely<Schema>,
  scope: DeviceScope,
  facet: FacetName,
  limit: number,
): Promise<FacetValue[]> {
  return db
    .selectFrom(matching(db, scope).select(FACETS[facet].as('value')).as('found'))
    .select(['value', (all) => all.fn.countAll<number>().as('count')])
    .where('value', 'is not', null)
    .where('value', '!=', '')
    .groupBy('value')
    .orderBy('count', 'desc')
    .orderBy('value')
    .limit(limit)
    .execute()
}
