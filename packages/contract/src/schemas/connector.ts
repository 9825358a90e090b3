// Connectors: Docker engines whose containers become devices.
import * as z from 'zod'
import { DeviceUid, TenantId } from './common.ts'

const Pem = z.string().min(1, 'is required').max(65_536).includes('-----BEGIN ', 'must be PEM text')

/** Address of an engine. */
export const EngineAddress = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$/, 'must be a host name or IP address')
export const EnginePort = z.number().int().min(0, 'must be 0 to 65535').max(65_535, 'must be 0 to 65535')

/** Either `device`, or `address`, `port` and `secure`. */
export const ConnectorBody = z.object({
  enable: z.boolean(),
  /** A device whose agent offers its engine (`BOWLINE_CONTAINERS`). */
  device: DeviceUid.nullish(),
  address: EngineAddress.optional(),
  port: EnginePort.optional(),
  secure: z.boolean().optional(),
  tls: z.object({ ca: Pem, cert: Pem, key: Pem }).nullish(),
})

export const Connector = z
  .object({
    uid: z.string(),
    tenant_id: TenantId,
    enable: z.boolean(),
    /** '', with port 0, for an engine that a device reaches. */
    address: z.string(),
    port: z.number().int(),
    secure: z.boolean(),
    /** Whose agent reaches the engine, and its name; null: the server dials the address. */
    device: DeviceUid.nullable(),
    device_name: z.string().max(64).nullable(),
    /** The capitalised pair is the published contract's; existing clients read the other one. */
    status: z.object({ state: z.string(), message: z.string(), State: z.boolean(), Message: z.string() }),
    /** The key is never returned: it is ''. */
    tls: z.object({ ca: z.string(), cert: z.string(), key: z.string() }).nullable(),
  })
  .meta({ id: 'Connector' })
export type Connector = z.infer<typeof Connector>
