// HTTP tunnels of a device.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { DeviceUid, Page } from '../schemas/common.ts'
import { Tunnel, TunnelAddress, TunnelBody } from '../schemas/tunnel.ts'

const byDevice = z.object({ uid: DeviceUid })

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
    access: { kind: 'member', permission: 'tunnelCreate', keys: true },
    params: byDevice,
    body: TunnelBody,
    response: Tunnel,
    errors: ['NOT_FOUND', 'TUNNEL_LIMIT'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/devices/{uid}/tunnels/{address}',
    noun: 'tunnels',
    summary: 'Close a tunnel',
    access: { kind: 'member', permission: 'tunnelDelete', keys: true },
    params: byDevice.extend({ address: TunnelAddress }),
    errors: ['NOT_FOUND'],
  }),
}
