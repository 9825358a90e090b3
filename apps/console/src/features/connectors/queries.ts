// Queries for connectors.
import { connectors } from '@bowline/contract/operations/connectors'
import type { Connector } from '@bowline/contract/schemas/connector'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

/** More than a namespace may have. */
const SHOWN = 50
/** States change without an event. */
const WATCH_INTERVAL_MS = 5_000

export const connectorKeys = { list: ['connectors'] as const }

/** Connectors of the namespace, again every few seconds. */
export function connectorsQuery(api: Api) {
  return queryOptions({
    queryKey: connectorKeys.list,
    queryFn: async ({ signal }) =>
      (await api.call(connectors.list, { query: { per_page: String(SHOWN) }, signal })).body,
    refetchInterval: WATCH_INTERVAL_MS,
  })
}

/** An engine, as people write it; the name of the device that reaches it, where one does. */
export function engineOf({
  address,
  port,
  device_name: device,
}: Pick<Connector, 'address' | 'port' | 'device_name'>): string {
  if (device !== null) return device
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
