// Queries for devices.
import { containers, devices } from '@bowline/contract/operations/devices'
import { stats } from '@bowline/contract/operations/stats'
import type { Device, DeviceStatus } from '@bowline/contract/schemas/device'
import { DeviceUid } from '@bowline/contract/schemas/common'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type ListPage, keys } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import type { Api } from '../../auth/api.ts'
import { type DeviceChoices, deviceFilter } from './device-filter.ts'

export const DEVICES_PER_PAGE = 25
/** The last is the most that the API answers with. */
export const PAGE_SIZES = [25, 50, 100] as const

export const DEVICE_SORTS = [
  'last_seen',
  'name',
  'created_at',
  'status_updated_at',
  'online',
  'address',
  'mac',
  'system',
  'arch',
  'version',
  'tags',
  'disk',
  'memory',
  'load',
  'latency',
  'booted_at',
] as const
export type DeviceSort = (typeof DEVICE_SORTS)[number]

export interface DeviceListQuery extends DeviceChoices {
  readonly status: DeviceStatus
  readonly page: number
  readonly sort: DeviceSort
  readonly order: 'asc' | 'desc'
  readonly perPage?: number
}

/** Containers are devices of another platform, with a list of their own. */
export type DeviceKind = 'devices' | 'containers'

export function deviceListQuery(
  api: Api,
  { status, page, sort, order, perPage = DEVICES_PER_PAGE, ...choices }: DeviceListQuery,
  kind: DeviceKind = 'devices',
) {
  const filter = deviceFilter(choices)
  const query = { status, page: String(page), per_page: String(perPage), sort_by: sort, order_by: order, filter }
  const byPresence = choices.presence !== undefined || choices.seen !== undefined
  const search = { status, page, per_page: perPage, sort_by: sort, order_by: order, filter, byPresence }
  return queryOptions({
    queryKey: kind === 'devices' ? keys.deviceList(search) : [...keys.containers, 'list', search],
    queryFn: async ({ signal }): Promise<ListPage<Device>> =>
      listPage(await api.call(kind === 'devices' ? devices.list : containers.list, { query, signal })),
    placeholderData: keepPreviousData,
  })
}

/** Pending devices, newest first. */
export function pendingDevicesQuery(api: Api) {
  return deviceListQuery(api, { status: 'pending', page: 1, sort: 'created_at', order: 'desc', words: '' })
}

/** Accepted devices, those that registered last first. */
export function newestDevicesQuery(api: Api) {
  return deviceListQuery(api, { status: 'accepted', page: 1, sort: 'created_at', order: 'desc', words: '' })
}

export function deviceQuery(api: Api, uid: string) {
  return queryOptions({
    queryKey: keys.device(uid),
    queryFn: async ({ signal }) =>
      (await api.call(devices.get, { params: { uid: DeviceUid.parse(uid) }, signal })).body,
  })
}

interface StatusCounts {
  readonly registered: number
  /** Number of registered devices. */
  readonly online: number
  readonly pending: number
  readonly rejected: number
}

/** Counts devices and containers separately: each has its own list, and a count must match its list. */
export interface Counts extends Readonly<Record<DeviceKind, StatusCounts>> {
  readonly activeSessions: number
  /** Pending ones that the person may decide. */
  readonly accessRequests: number
}

/** Counts of devices and sessions. */
export function statsQuery(api: Api) {
  return queryOptions({
    queryKey: keys.stats,
    queryFn: async ({ signal }): Promise<Counts> => {
      const { body } = await api.call(stats.get, { signal })
      const { containers: apart } = body
      return {
        devices: {
          registered: body.registered_devices - apart.registered,
          online: body.online_devices - apart.online,
          pending: body.pending_devices - apart.pending,
          rejected: body.rejected_devices - apart.rejected,
        },
        containers: apart,
        activeSessions: body.active_sessions,
        accessRequests: body.pending_access_requests,
      }
    },
  })
}
