// Queries of the map.
import { devices } from '@bowline/contract/operations/devices'
import type { MAP_STEPS } from '@bowline/contract/schemas/device'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../../auth/api.ts'
import { type DeviceChoices, deviceFilter } from '../../../core/devices/device-filter.ts'
import { keys } from '../../../live/apply-events.ts'

interface MapQuery {
  readonly step: (typeof MAP_STEPS)[number]
  readonly box: string | undefined
  readonly choices: DeviceChoices
}

/** Devices come and go without an event for each cell. */
const REFRESH_MS = 30_000

export function positionsQuery(api: Api, { step, box, choices }: MapQuery) {
  const query = { step, box, filter: deviceFilter(choices) }
  return queryOptions({
    queryKey: [...keys.devices, 'positions', query],
    queryFn: async ({ signal }) => (await api.call(devices.positions, { query, signal })).body,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}
