// Connectors: Docker engines whose containers become devices.
import * as z from 'zod'
import { TenantId } from './common.ts'

const Pem = z.string().min(1, 'is required').max(65_536).includes('-----BEGIN ', 'must be PEM text')

export const ConnectorBody = z.object({
  enable: z.boolean(),
  address: z
    .string()
    .min(1)
    .max(253)
    .regex(/^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$/, 'must be a host name or IP address'),
  port: z.number().int().min(0, 'must be 0 to 65535').max(65_535, 'must be 0 to 65535'),
  secure: z.boolean(),
  tls: z.object({ ca: Pem, cert: Pem, key: Pem }).nullish(),
})

export const Connector = z
  .object({
    uid: z.string(),
    tenant_id: TenantId,
    enable: z.boolean(),
    address: z.string(),
    port: z.number().int(),
    secure: z.boolean(),
    /** The capitalised pair is the published contract's; existing clients read the other one. */
    status: z.object({ state: z.string(), message: z.string(), State: z.boolean(), Message: z.string() }),
    /** The key is never returned: it is ''. */
    tls: z.object({ ca: z.string(), cert: z.string(), key: z.string() }).nullable(),
  })
  .meta({ id: 'Connector' })
export type Connector = z.infer<typeof Connector>
