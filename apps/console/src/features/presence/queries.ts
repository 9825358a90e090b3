// Queries of presence and incidents. They are asked again every minute: an event for each device that comes or goes
// would ask a busy namespace all the time.
import { type PRESENCE_PERIODS, incidents, presence } from '@bowline/contract/operations/fleet/presence'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { keys } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'

export type Period = (typeof PRESENCE_PERIODS)[number]
export type IncidentState = 'open' | 'over' | 'all'

export const INCIDENTS_PER_PAGE = 25
const EVERY_MINUTE = { refetchInterval: 60_000, staleTime: 30_000 } as const

export function presenceQuery(api: Api, period: Period) {
  return queryOptions({
    queryKey: [...keys.presence, 'namespace', period],
    queryFn: async ({ signal }) => (await api.call(presence.get, { query: { period }, signal })).body,
    placeholderData: keepPreviousData,
    ...EVERY_MINUTE,
  })
}

export function devicePresenceQuery(api: Api, uid: DeviceUid, period: Period) {
  return queryOptions({
    queryKey: [...keys.presence, 'device', uid, period],
    queryFn: async ({ signal }) =>
      (await api.call(presence.ofDevice, { params: { uid }, query: { period }, signal })).body,
    placeholderData: keepPreviousData,
    ...EVERY_MINUTE,
  })
}

export function incidentListQuery(
  api: Api,
  { state, page, perPage = INCIDENTS_PER_PAGE }: { state: IncidentState; page: number; perPage?: number },
) {
  const query = { state, page: String(page), per_page: String(perPage) }
  return queryOptions({
    queryKey: [...keys.presence, 'incidents', query],
    queryFn: async ({ signal }) => listPage(await api.call(incidents.list, { query, signal })),
    placeholderData: keepPreviousData,
    ...EVERY_MINUTE,
  })
}

export function incidentQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: [...keys.presence, 'incident', id],
    queryFn: async ({ signal }) => (await api.call(incidents.get, { params: { id }, signal })).body,
    ...EVERY_MINUTE,
  })
}

export function incidentDevicesQuery(api: Api, id: string, page: number) {
  const query = { page: String(page), per_page: String(INCIDENTS_PER_PAGE) }
  return queryOptions({
    queryKey: [...keys.presence, 'incident', id, 'devices', page],
    queryFn: async ({ signal }) => listPage(await api.call(incidents.devices, { params: { id }, query, signal })),
    placeholderData: keepPreviousData,
    ...EVERY_MINUTE,
  })
}
