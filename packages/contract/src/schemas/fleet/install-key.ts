// Install keys: devices that register with one are tagged, and accepted if the key allows it.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { Time, UserId } from '../common.ts'
import { DeviceTags } from '../tag.ts'

export const InstallKeyName = z
  .string()
  .min(LIMITS.installKeyName.min, 'must have 3 to 40 characters')
  .max(LIMITS.installKeyName.max, 'must have 3 to 40 characters')
  .regex(/^[A-Za-z0-9_-]+$/, 'may have letters, digits, - and _ only')

/** Text of a key: 128 bits as RFC 4648 base32, fit for a shell word and for the user name of an SSH client. */
export const INSTALL_KEY = /^ik-[a-z2-7]{26}$/

export const InstallKey = z
  .object({
    name: z.string(),
    /** Devices are accepted when they register; otherwise they are pending. */
    accepts: z.boolean(),
    tags: z.array(z.string()),
    /** Number of devices that may register with it; null: any. */
    max_uses: z.number().int().nullable(),
    uses: z.number().int(),
    /** Null: never. */
    expires_at: Time.nullable(),
    created_by: UserId,
    created_at: Time,
    last_used_at: Time.nullable(),
  })
  .meta({ id: 'InstallKey' })
export type InstallKey = z.infer<typeof InstallKey>

export const InstallKeyBody = z.object({
  name: InstallKeyName,
  accepts: z.boolean().default(true),
  tags: DeviceTags.max(LIMITS.tagsPerItem, 'must have at most 3 tags').default([]),
  max_uses: z
    .number()
    .int()
    .min(1, 'must be 1 to 100000')
    .max(LIMITS.installKeyUses, 'must be 1 to 100000')
    .nullable()
    .default(null),
  /** Days until it expires; null: never. */
  expires_in_days: z.number().int().min(1, 'must be 1 to 365').max(365, 'must be 1 to 365').nullable().default(30),
})
export type InstallKeyBody = z.infer<typeof InstallKeyBody>
