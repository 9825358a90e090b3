// Queries for tunnels.
import { tunnels } from '@bowline/contract/operations/tunnels'
import { DeviceUid } from '@bowline/contract/schemas/common'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { keys } from '../../live/apply-events.ts'

/** A device has at most ten living tunnels; expired ones stay in the list. */
const SHOWN = 50

export const tunnelKeys = { lists: ['tunnels'] as const, list: (uid: string) => ['tunnels', uid] as const }

/** Tunnels of a device. */
export function tunnelsQuery(api: Api, uid: string) {
  return queryOptions({
    queryKey: tunnelKeys.list(uid),
    queryFn: async ({ signal }) => {
      const params = { uid: DeviceUid.parse(uid) }
      return (await api.call(tunnels.list, { params, query: { per_page: String(SHOWN) }, signal })).body
    },
  })
}

/** Last requests of a tunnel; live events say when there are new ones. @param paused keeps what was loaded */
export function tunnelRequestsQuery(
  api: Api,
  { device, address }: Pick<Tunnel, 'device' | 'address'>,
  paused: boolean,
) {
  return queryOptions({
    queryKey: [...keys.tunnelRequests, address],
    queryFn: async ({ signal }) =>
      (await api.call(tunnels.requests, { params: { uid: device, address }, signal })).body,
    enabled: !paused,
    // Events that came while the list was closed or paused have marked it.
    staleTime: 0,
  })
}

/** Target of a tunnel, as people write it. */
export function targetOf({ host, port }: Pick<Tunnel, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
