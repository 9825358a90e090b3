// Public keys of people.
import * as z from 'zod'
import { TenantId, Time, UserId } from './common.ts'
import { DeviceFilter, Pattern } from './tag.ts'

/** MD5 in the old form: sixteen pairs of hex digits. */
export const Fingerprint = z
  .string()
  .toLowerCase()
  .regex(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/, 'must be 16 pairs of hex digits with colons')

export const KeyName = z.string().trim().min(1, 'is required').max(64)

export const PublicKey = z
  .object({
    /** Base64 of a normalised authorized_keys line. */
    data: z.string(),
    fingerprint: z.string(),
    created_at: Time,
    tenant_id: TenantId,
    name: z.string(),
    username: z.string(),
    filter: DeviceFilter,
    /** The member whose key it is; null for a service key, and for a disabled one, whose owner has left. */
    owner: UserId.nullable(),
    /** Its owner has left: it signs nobody in until it is handed over. */
    disabled: z.boolean(),
    /** Address of the owner who has left; '' when none has. */
    former_owner: z.string(),
  })
  .meta({ id: 'PublicKey' })
export type PublicKey = z.infer<typeof PublicKey>

/** A key that was disabled when its owner left. */
export const DisabledKey = z.object({ fingerprint: z.string(), name: z.string() }).meta({ id: 'DisabledKey' })
export type DisabledKey = z.infer<typeof DisabledKey>

export const PublicKeyBody = z.object({
  name: KeyName,
  username: Pattern,
  filter: DeviceFilter,
  /**
   * The member whose key it is; null makes it a service key. Left out, a new key is the caller's, and one that exists
   * keeps its owner.
   */
  owner: UserId.nullable().optional(),
})

/** The devices that the filter of a key is for. */
export const KeyDevices = z
  .object({
    matching: z.number().int(),
    /** All accepted devices and containers of the namespace. */
    accepted: z.number().int(),
    /** Names of the first that match. */
    names: z.array(z.string()),
  })
  .meta({ id: 'KeyDevices' })
export type KeyDevices = z.infer<typeof KeyDevices>
