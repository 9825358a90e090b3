// URL search parameters of the player and of the recordings search.
import { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import { z } from 'zod'

/** Days of this browser's time zone. */
const Day = z.iso.date().optional().catch(undefined)

export const PlaySearch = z.object({
  /** Seconds since the start. */
  t: z.coerce.number().min(0).optional().catch(undefined),
  /** The search words. */
  q: z.string().max(256).optional().catch(undefined),
})
export type PlaySearch = z.infer<typeof PlaySearch>

export const DEFAULT_RECORDINGS_SEARCH = { q: '', page: 1 } as const

export const RecordingsSearch = z.object({
  q: z.string().max(256).catch('').default(''),
  page: z.coerce.number().int().min(1).catch(1).default(1),
  device: DeviceUid.optional().catch(undefined),
  /** Whose sessions. */
  person: UserId.optional().catch(undefined),
  from: Day,
  to: Day,
  /** Last screens are shown, which the audit log tells of. */
  screens: z.literal('yes').optional().catch(undefined),
})
export type RecordingsSearch = z.infer<typeof RecordingsSearch>
