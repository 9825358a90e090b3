// Public keys of users.
import * as z from 'zod'
import { TenantId, Time, UserId } from './common.ts'
import { DeviceFilter, Pattern } from './tag.ts'

/** MD5 in the legacy format: sixteen pairs of hex digits. */
export const Fingerprint = z
  .string()
  .toLowerCase()
  .regex(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/, 'must be 16 pairs of hex digits with colons')

export const KeyName = z.string().trim().min(1, 'is required').max(64)

export const PublicKey = z
  .object({
    /** Base64 of a normalised authorized_keys line. */
    data: z.string(),
    /** MD5, by which calls name the key. */
    fingerprint: z.string(),
    /** SHA-256 as `ssh-keygen -l` prints it. */
    fingerprint_sha256: z.string(),
    created_at: Time,
    tenant_id: TenantId,
    name: z.string(),
    username: z.string(),
    filter: DeviceFilter,
    /** The member who owns the key; null for a service key, and for a disabled one, whose owner has left. */
    owner: UserId.nullable(),
    /** Its owner has left: it cannot sign in until it is reassigned. */
    disabled: z.boolean(),
    /** E-mail address of the former owner; '' when there is none. */
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
   * The member who owns the key; null makes it a service key. If omitted, a new key is the caller's, and an existing
   * one keeps its owner.
   */
  owner: UserId.nullable().optional(),
})

/** The devices that a key's filter matches. */
export const KeyDevices = z
  .object({
    matching: z.number().int(),
    /** All accepted devices and containers of the namespace. */
    accepted: z.number().int(),
    /** Names of the first matches. */
    names: z.array(z.string()),
  })
  .meta({ id: 'KeyDevices' })
export type KeyDevices = z.infer<typeof KeyDevices>
