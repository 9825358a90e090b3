// Queries of the device lists beside the lists themselves: values to narrow them by.
import { containers, devices, type FacetName } from '@bowline/contract/operations/devices'
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { type DeviceChoices, deviceFilter } from '../../core/devices/device-filter.ts'
import type { DeviceKind } from '../../core/devices/queries.ts'
import { keys } from '../../live/apply-events.ts'

interface FacetScope extends DeviceChoices {
  readonly kind: DeviceKind
  readonly status: DeviceStatus
}

/** Values of one property with their counts. The choice of that property itself must not be in the scope. */
export function facetQuery(api: Api, by: FacetName, { kind, status, ...choices }: FacetScope) {
  const filter = deviceFilter(choices)
  const { facets } = kind === 'devices' ? devices : containers
  return queryOptions({
    queryKey: [...(kind === 'devices' ? keys.devices : keys.containers), 'facets', { by, status, filter }],
    queryFn: async ({ signal }) => (await api.call(facets, { query: { by, status, filter }, signal })).body,
    placeholderData: keepPreviousData,
  })
}
