// Tunnels of a device.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { DeviceUid, Page } from '../schemas/common.ts'
import {
  Tunnel,
  TunnelAddress,
  TunnelBody,
  TunnelChanges,
  TunnelRequest,
  TunnelVisit,
  TunnelVisitBody,
} from '../schemas/tunnel.ts'

const byDevice = z.object({ uid: DeviceUid })
const byAddress = byDevice.extend({ address: TunnelAddress })

export const tunnels = {
  list: operation({
    method: 'GET',
    path: '/api/devices/{uid}/tunnels',
    noun: 'tunnels',
    summary: 'Tunnels of a device',
    access: { kind: 'member', keys: true },
    params: byDevice,
    query: Page,
    response: z.array(Tunnel),
    total: true,
    errors: ['NOT_FOUND'],
  }),
  create: operation({
    method: 'POST',
    path: '/api/devices/{uid}/tunnels',
    noun: 'tunnels',
    summary: 'Open a tunnel; the same host and port keep their address',
    access: { kind: 'member', permission: 'tunnelCreate', per: 'device', keys: true },
    params: byDevice,
    body: TunnelBody,
    response: Tunnel,
    errors: ['FRESH_PROOF_REQUIRED', 'NAMESPACE_FULL', 'NOT_FOUND', 'TUNNEL_LIMIT'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/api/devices/{uid}/tunnels/{address}',
    noun: 'tunnels',
    summary: 'Change who may enter a tunnel and how it reaches its service',
    access: { kind: 'member', permission: 'tunnelCreate', per: 'device', keys: true },
    params: byAddress,
    body: TunnelChanges,
    response: Tunnel,
    errors: ['FRESH_PROOF_REQUIRED', 'NAMESPACE_FULL', 'NOT_FOUND'],
  }),
  requests: operation({
    method: 'GET',
    path: '/api/devices/{uid}/tunnels/{address}/requests',
    noun: 'tunnels',
    summary: 'Recent requests of a tunnel, newest first',
    access: { kind: 'member', permission: 'tunnelCreate', per: 'device', keys: true },
    params: byAddress,
    response: z.array(TunnelRequest),
    errors: ['NOT_FOUND'],
  }),
  visit: operation({
    method: 'POST',
    path: '/api/tunnels/{address}/visits',
    noun: 'tunnels',
    summary: 'A one-use link into a tunnel whose door admits the members of its namespace',
    access: { kind: 'user' },
    params: z.object({ address: TunnelAddress }),
    body: TunnelVisitBody,
    response: TunnelVisit,
    errors: ['FRESH_PROOF_REQUIRED', 'NAMESPACE_DISABLED', 'NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/devices/{uid}/tunnels/{address}',
    noun: 'tunnels',
    summary: 'Close a tunnel',
    access: { kind: 'member', permission: 'tunnelDelete', per: 'device', keys: true },
    params: byAddress,
    errors: ['NOT_FOUND'],
  }),
}
