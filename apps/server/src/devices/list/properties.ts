// What device lists can be filtered and sorted by.
import type { DeviceSort } from '@bowline/contract/operations/devices'
import type { UserId } from '@bowline/contract/schemas/common'
import { TROUBLES } from '@bowline/contract/schemas/fleet/health'
import { type RawBuilder, sql } from 'kysely'
import type { FilterProperties } from '../../db/lists/filter.ts'
import { online } from '../../db/lists/online.ts'
import { bootOrder, healthOrder, inTrouble } from '../../device-health/troubles-store.ts'
import { inCell } from './cells-store.ts'
import { inIncident } from '../../presence/service.ts'

/** Properties that device lists can be filtered by, under the names that clients use. */
const DEVICE_PROPERTIES: FilterProperties = {
  name: { sql: sql.ref('devices.name'), type: 'text' },
  hostname: { sql: sql.ref('devices.hostname'), type: 'text' },
  uid: { sql: sql.ref('devices.uid'), type: 'text' },
  status: { sql: sql.ref('devices.status'), type: 'text' },
  online: { sql: sql`(${online})`, type: 'boolean' },
  tags: { sql: sql.ref('devices.tags'), type: 'text-array' },
  'tags.name': { sql: sql.ref('devices.tags'), type: 'text-array' },
  mac: { sql: sql.ref('devices.mac'), type: 'text' },
  'identity.mac': { sql: sql.ref('devices.mac'), type: 'text' },
  platform: { sql: sql`devices.info->>'platform'`, type: 'text' },
  'info.id': { sql: sql`devices.info->>'id'`, type: 'text' },
  'info.platform': { sql: sql`devices.info->>'platform'`, type: 'text' },
  'info.version': { sql: sql`devices.info->>'version'`, type: 'text' },
  'info.arch': { sql: sql`devices.info->>'arch'`, type: 'text' },
  'info.pretty_name': { sql: sql`devices.info->>'pretty_name'`, type: 'text' },
  /** Everything that the search field of the console looks at, in lower case. */
  words: { sql: sql.ref('devices.words'), type: 'text' },
  note: { sql: sql.ref('devices.note'), type: 'text' },
  /** The SSH server of a device without an agent presents another host key than the accepted one. */
  host_key_changed: { sql: sql`(devices.presented_host_key is not null)`, type: 'boolean' },
  /** In this cell of the map. */
  cell: { type: 'group', has: inCell, values: 'a cell of the map' },
  /** Went offline in this incident, by its id. */
  incident: { type: 'group', has: inIncident },
  /** One of the contract's troubles, or `any` of its failures. */
  trouble: { type: 'group', has: inTrouble, values: `any, ${TROUBLES.join(', ')}` },
  remote_addr: { sql: sql.ref('devices.remote_addr'), type: 'text' },
  last_seen: { sql: sql.ref('devices.last_seen'), type: 'time' },
  created_at: { sql: sql.ref('devices.created_at'), type: 'time' },
}

/** The properties for one person, who has favourites; programs and the platform have none. */
export function propertiesFor(person: UserId | undefined): FilterProperties {
  const favorites = sql`(select device_uid from device_favorites where user_id = ${person ?? ''})`
  return { ...DEVICE_PROPERTIES, favorite: { sql: sql`(devices.uid in ${favorites})`, type: 'boolean' } }
}

/** What each order compares. Sorting by status is refined by last_seen. */
export const DEVICE_ORDERS: Readonly<Record<DeviceSort, RawBuilder<unknown>>> = {
  last_seen: sql.ref('devices.last_seen'),
  name: sql`devices.name collate by_number`,
  created_at: sql.ref('devices.created_at'),
  status: sql.ref('devices.last_seen'),
  status_updated_at: sql.ref('devices.status_updated_at'),
  online: sql`(${online})`,
  address: sql.ref('devices.remote_addr'),
  mac: sql.ref('devices.mac'),
  system: sql`devices.info->>'pretty_name'`,
  arch: sql`devices.info->>'arch'`,
  version: sql`devices.info->>'version'`,
  tags: sql.ref('devices.tags'),
  disk: healthOrder('disk'),
  memory: healthOrder('memory'),
  load: healthOrder('load'),
  latency: healthOrder('latency'),
  booted_at: bootOrder,
}
