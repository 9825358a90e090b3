// Queries of the health of devices.
import { type HEALTH_PERIODS, health } from '@bowline/contract/operations/fleet/health'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { keys } from '../../live/apply-events.ts'

/** The first report arrives within a minute of connecting, while people look at the device that they have added. */
const FIRST_MS = 5_000
/** By then a device has reported, or it is switched off there. */
const FIRST_TIMES = 24

export function deviceHealthQuery(api: Api, uid: DeviceUid, period: (typeof HEALTH_PERIODS)[number]) {
  return queryOptions({
    queryKey: [...keys.health, uid, period],
    queryFn: async ({ signal }) =>
      (await api.call(health.ofDevice, { params: { uid }, query: { period }, signal })).body,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && !data.latest && dataUpdateCount < FIRST_TIMES ? FIRST_MS : 60_000,
    staleTime: 30_000,
  })
}
