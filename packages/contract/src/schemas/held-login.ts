// SSH logins that are held until the person approves them with a second factor.
import * as z from 'zod'
import { DeviceUid, TenantId, Time } from './common.ts'

/** Eight consonants, with or without the hyphen, in any case. */
export const HeldLoginCode = z.string().min(8, 'must have eight letters').max(16, 'must have eight letters')

export const HeldLogin = z
  .object({
    /** Shown by the ssh client too: who approves compares the two. */
    code: z.string(),
    tenant_id: TenantId,
    namespace: z.string(),
    device: DeviceUid,
    device_name: z.string(),
    /** Account on the device. */
    username: z.string(),
    /** Name of the registered key; '' for a password. */
    key: z.string(),
    /** Address that the login comes from. */
    source: z.string(),
    /** City and country where the server has a file of positions; '' otherwise. */
    place: z.string(),
    created_at: Time,
    /** Seconds until it is refused. */
    expires_in: z.number().int(),
    /** Hours for which an approval lets the same credential pass from the same network. */
    hours: z.number().int(),
  })
  .meta({ id: 'HeldLogin' })
export type HeldLogin = z.infer<typeof HeldLogin>
