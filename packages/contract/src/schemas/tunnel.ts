// Tunnels to a port that a device can reach.
import * as z from 'zod'
import { DeviceUid, TenantId, Time } from './common.ts'

export const TunnelAddress = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 lower-case hex digits')

/**
 * Traffic of a tunnel: HTTP, or TLS connections of any protocol, which are passed on without being decrypted: the name
 * that the client asks for (SNI) finds the tunnel.
 */
export const TunnelProtocol = z.enum(['http', 'tcp'], 'must be http or tcp')
export type TunnelProtocol = z.infer<typeof TunnelProtocol>

/** Visitors that are admitted: everybody who knows the address, members of the namespace, or whoever knows the password. */
export const TunnelDoor = z.enum(['none', 'namespace', 'password'], 'must be none, namespace or password')
export type TunnelDoor = z.infer<typeof TunnelDoor>

/** Transport to the service: plain, TLS with a verified certificate, or TLS with any certificate. */
export const TunnelTls = z.enum(['none', 'verify', 'insecure'], 'must be none, verify or insecure')
export type TunnelTls = z.infer<typeof TunnelTls>

const ttl = z.number().int().min(-1, 'must be -1 to 9223372036').max(9_223_372_036, 'must be -1 to 9223372036')

const TunnelOptions = z.object({
  /** `tcp` excludes doors, the host header, TLS and HTTP/2 towards the service: the server sees no requests. */
  protocol: TunnelProtocol.optional(),
  door: TunnelDoor.optional(),
  /** Password of the door `password`; never returned. */
  password: z.string().min(8, 'must be 8 to 256 characters').max(256, 'must be 8 to 256 characters').optional(),
  /** Host header for the service; empty: the one the client has sent. */
  host_header: z
    .string()
    .max(255, 'must be at most 255 characters')
    .regex(/^(?:[\w.-]+|\[[0-9a-fA-F:.]+\])?(?::\d{1,5})?$/, 'must be a host name, with or without a port')
    .optional(),
  tls: TunnelTls.optional(),
  /** Speak HTTP/2 to the service, as gRPC needs. */
  http2: z.boolean('must be true or false').optional(),
})

const IP_RULE = 'must be an IP address'

export const TunnelBody = TunnelOptions.extend({
  host: z.union([z.ipv4(IP_RULE), z.ipv6(IP_RULE)], IP_RULE),
  port: z.number().int().min(1, 'must be 1 to 65535').max(65_535, 'must be 1 to 65535'),
  /** Seconds; −1: until deleted. */
  ttl,
})
export type TunnelBody = z.infer<typeof TunnelBody>

/** Absent fields stay as they are. */
export const TunnelChanges = TunnelOptions.extend({ ttl: ttl.optional() })
export type TunnelChanges = z.infer<typeof TunnelChanges>

export const Tunnel = z
  .object({
    address: TunnelAddress,
    full_address: z.string(),
    /**
     * Stable name below the domain of tunnels, such as `8080-web--acme`, of a port of a device with `public_url`; empty
     * for others. The address stays valid beside it.
     */
    name: z.string(),
    protocol: TunnelProtocol,
    /**
     * Address in browsers, by the name if there is one; of a TCP tunnel `tls://` with host and port. Empty without a domain of tunnels, or without a
     * port for TCP tunnels.
     */
    url: z.string(),
    namespace: TenantId,
    device: DeviceUid,
    host: z.string(),
    port: z.number().int(),
    ttl: z.number().int(),
    expires_in: Time,
    created_at: Time,
    door: TunnelDoor,
    host_header: z.string(),
    tls: TunnelTls,
    http2: z.boolean(),
  })
  .meta({ id: 'Tunnel' })
export type Tunnel = z.infer<typeof Tunnel>

/** A request that a tunnel has carried, or a TCP connection: its method is `TCP`, its path empty. */
export const TunnelRequest = z
  .object({
    id: z.string(),
    method: z.string(),
    /** Without its query. */
    path: z.string(),
    /**
     * 0: the client or the device ended it before an answer. Of a TCP connection as of the method CONNECT: 200 once the
     * service was reached.
     */
    status: z.number().int(),
    bytes_in: z.number().int(),
    bytes_out: z.number().int(),
    milliseconds: z.number().int(),
    source: z.string(),
    started_at: Time,
  })
  .meta({ id: 'TunnelRequest' })
export type TunnelRequest = z.infer<typeof TunnelRequest>

export const TunnelVisitBody = z.object({
  /** Page at which the visit begins. */
  path: z
    .string()
    .max(2_048, 'must be at most 2048 characters')
    .regex(/^\/(?:[!-.0-[\]-~][!-~]*)?$/, 'must be a path that begins with a single slash')
    .default('/'),
})

export const TunnelVisit = z.object({
  /** Valid once, for 60 seconds. */
  url: z.string(),
})
