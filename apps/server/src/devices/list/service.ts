// Lists of devices: pages, the values to narrow them by, and all that matches as a file.
import type { Input } from '@bowline/contract/operation'
import { LIMITS } from '@bowline/contract/limits'
import { fail } from '@bowline/contract/errors'
import type { devices as operations } from '@bowline/contract/operations/devices'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Device, type DevicePositions, MAP_CELLS } from '@bowline/contract/schemas/device'
import { type TenantContext, personOf } from '../../context.ts'
import { compileFilter } from '../../db/lists/filter.ts'
import type { Listing } from '../../db/lists/listing.ts'
import { type CsvColumns, exportedLines, requireExportable } from '../../platform/exported-lines.ts'
import { describeDevices } from '../describe.ts'
import { listRemovedDevices } from '../slots/removed.ts'
import type { DeviceKind } from '../store.ts'
import { toDevice } from '../wire.ts'
import { nameOfCell } from './cells-store.ts'
import { type Box, type CellRow, countPositions } from './positions-store.ts'
import { propertiesFor } from './properties.ts'
import { type DeviceScope, type FacetValue, countValues, findInOrder, listDevices, selectUids } from './store.ts'

type ListQuery = Input<typeof operations.list>['query']
type FacetQuery = Input<typeof operations.facets>['query']
type PositionsQuery = Input<typeof operations.positions>['query']
type ExportQuery = Input<typeof operations.export>['query']

/** @throws {BowlineError} INVALID_FILTER */
export function scopeOf(
  { actor }: Pick<TenantContext, 'actor'>,
  kind: DeviceKind,
  { status, filter }: Pick<ListQuery, 'status' | 'filter'>,
): DeviceScope {
  return { kind, status, where: compileFilter(filter, propertiesFor(personOf(actor)), 'and') }
}

/** Condition of a filter that is nobody's: `favorite` finds no device. @throws {BowlineError} INVALID_FILTER */
export function conditionOf(filter: string): DeviceScope['where'] {
  return compileFilter(filter, propertiesFor(undefined), 'and')
}

/** A page of the namespace's devices, or of its containers. @throws {BowlineError} INVALID_FILTER */
export async function list(ctx: TenantContext, kind: DeviceKind, query: ListQuery): Promise<Listing<Device>> {
  if (query.status === 'removed') return listRemovedDevices(ctx, query)
  const { rows, total } = await listDevices(ctx.db, {
    ...scopeOf(ctx, kind, query),
    sortBy: query.sort_by,
    order: query.order_by,
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: await describeDevices(ctx, rows), total }
}

/** Values of one property among the devices of a list, the most frequent first. @throws {BowlineError} INVALID_FILTER */
export function facets(ctx: TenantContext, kind: DeviceKind, { by, ...query }: FacetQuery): Promise<FacetValue[]> {
  return countValues(ctx.db, scopeOf(ctx, kind, query), by, LIMITS.facetValues)
}

/** How many devices of a list are in each cell of a grid. @throws {BowlineError} INVALID_FILTER; INVALID_INPUT */
export async function positions(ctx: TenantContext, query: PositionsQuery): Promise<DevicePositions> {
  const { step } = query
  const box = query.box === undefined ? undefined : boxOf(query.box)
  const options = { step: Number(step), box, limit: MAP_CELLS }
  const rows = await countPositions(ctx.db, scopeOf(ctx, 'devices', query), options)
  const cells = rows.flatMap(({ row, column, latitude, longitude, online, devices }) =>
    row === null || column === null
      ? []
      : [{ cell: nameOfCell(row, column, step), latitude, longitude, online, offline: devices - online }],
  )
  const shown = cells.slice(0, MAP_CELLS)
  const inCells = rows.find(({ kind }) => kind === 'cell')?.all ?? 0
  const countOf = (wanted: CellRow['kind']): number => rows.find(({ kind }) => kind === wanted)?.devices ?? 0
  return {
    cells: shown,
    omitted: inCells - shown.reduce((sum, { online, offline }) => sum + online + offline, 0),
    outside: countOf('outside'),
    unknown: countOf('unknown'),
  }
}

function boxOf(text: string): Box {
  const [west = 0, south = 0, east = 0, north = 0] = text.split(',').map(Number)
  const isOnGlobe = [west, east].every((x) => Math.abs(x) <= 180) && [south, north].every((y) => Math.abs(y) <= 90)
  if (isOnGlobe && south <= north) return { west, south, east, north }
  return fail('INVALID_INPUT', { field: 'box', rule: 'must be west,south,east,north in degrees' }, ['box'])
}

/**
 * Every device of a list in its order, in chunks of text. The devices are those of the moment of the call; one that is
 * removed meanwhile is left out.
 * @param mayGoOn see {@link exportedLines}
 * @throws {BowlineError} INVALID_FILTER, also for more devices than an export has
 */
export async function exported(
  ctx: TenantContext,
  kind: DeviceKind,
  query: ExportQuery,
  mayGoOn: () => Promise<boolean>,
): Promise<AsyncGenerator<string>> {
  const { exportedDevices: limit } = LIMITS
  const { sort_by: sortBy, order_by: order, format } = query
  const keys = await selectUids(ctx.db, { ...scopeOf(ctx, kind, query), sortBy, order, limit: limit + 1, offset: 0 })
  requireExportable(keys, limit, 'tags')
  const read = async (uids: readonly DeviceUid[]) => (await findInOrder(ctx.db, uids)).map((row) => toDevice(row))
  return exportedLines({ keys, read, format, columns: COLUMNS, mayGoOn })
}

const COLUMNS: CsvColumns<Device> = [
  ['name', ({ name }) => name],
  ['uid', ({ uid }) => uid],
  ['status', ({ status }) => status],
  ['online', ({ online }) => String(online)],
  ['last_seen', (device) => device.last_seen],
  ['tags', ({ tags }) => tags.join(' ')],
  ['system', ({ info }) => info?.pretty_name ?? ''],
  ['arch', ({ info }) => info?.arch ?? ''],
  ['agent_version', ({ info }) => info?.version ?? ''],
  ['remote_addr', (device) => device.remote_addr],
  ['mac', ({ identity }) => identity?.mac ?? ''],
  ['created_at', (device) => device.created_at],
  ['note', ({ note }) => note],
  ['fields', ({ fields }) => (Object.keys(fields).length > 0 ? JSON.stringify(fields) : '')],
]
