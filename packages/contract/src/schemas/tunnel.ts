// HTTP tunnels to a port that a device can reach.
import * as z from 'zod'
import { DeviceUid, TenantId, Time } from './common.ts'

export const TunnelAddress = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 lower-case hex digits')

export const TunnelBody = z.object({
  host: z.union([z.ipv4(), z.ipv6()], 'must be an IP address'),
  port: z.number().int().min(1, 'must be 1 to 65535').max(65_535, 'must be 1 to 65535'),
  /** Seconds; −1: until deleted. */
  ttl: z.number().int().min(-1, 'must be -1 to 9223372036').max(9_223_372_036, 'must be -1 to 9223372036'),
})

export const Tunnel = z
  .object({
    address: TunnelAddress,
    full_address: z.string(),
    namespace: TenantId,
    device: DeviceUid,
    host: z.string(),
    port: z.number().int(),
    ttl: z.number().int(),
    expires_in: Time,
    created_at: Time,
  })
  .meta({ id: 'Tunnel' })
export type Tunnel = z.infer<typeof Tunnel>
