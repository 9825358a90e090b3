// Schemas shared by several nouns: identifiers, times, pages. Branded, so that ids cannot be confused.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'

/**
 * Ids of rows. A malformed one in a path is answered like an unknown one: 404, naming the noun. Tenant ids are
 * excluded: existing clients expect 400 for a malformed one.
 */
export const ROW_IDS = z.registry<{ readonly noun: string }>()

export const DeviceUid = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
  .brand<'DeviceUid'>()
  .register(ROW_IDS, { noun: 'The device' })
export type DeviceUid = z.infer<typeof DeviceUid>

export const SessionUid = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
  .brand<'SessionUid'>()
  .register(ROW_IDS, { noun: 'The session' })
export type SessionUid = z.infer<typeof SessionUid>

export const TenantId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID')
  .toLowerCase()
  .brand<'TenantId'>()
export type TenantId = z.infer<typeof TenantId>

export const UserId = z.string().min(1).max(64).brand<'UserId'>()
export type UserId = z.infer<typeof UserId>

/** RFC 3339 in UTC; `0001-01-01T00:00:00Z` means never. */
export const Time = z.string().meta({ format: 'date-time' })
export const NEVER = '0001-01-01T00:00:00Z'

export const Username = z
  .string()
  .toLowerCase()
  .min(LIMITS.username.min, `must have ${LIMITS.username.min} to ${LIMITS.username.max} characters`)
  .max(LIMITS.username.max, `must have ${LIMITS.username.min} to ${LIMITS.username.max} characters`)
  .regex(/^[a-z0-9\-_.@]+$/, 'may have letters, digits and - _ . @ only')

export const Password = z
  .string()
  .min(LIMITS.password.min, `must have ${LIMITS.password.min} to ${LIMITS.password.max} characters`)
  .max(LIMITS.password.max, `must have ${LIMITS.password.min} to ${LIMITS.password.max} characters`)

/**
 * Neither control characters nor those that turn the direction of text: both falsify what a terminal shows. Ranges, since
 * generators of clients read patterns without Unicode classes.
 */
// oxlint-disable-next-line no-control-regex -- the characters that it refuses
export const NO_CONTROL = /^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/
export const PersonName = z
  .string()
  .trim()
  .min(LIMITS.name.min, `must have ${LIMITS.name.min} to ${LIMITS.name.max} characters`)
  .max(LIMITS.name.max, `must have ${LIMITS.name.min} to ${LIMITS.name.max} characters`)
  .regex(NO_CONTROL, 'must not have control characters')

export const Email = z.email('must be an e-mail address').max(254).toLowerCase()

/** Out-of-range numbers are clamped, as existing clients expect; non-numbers are rejected. */
const wholeNumber = (fallback: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .default(String(fallback))
    .transform(Number)

export const Page = z.object({
  page: wholeNumber(1).transform((page) => Math.max(1, page)),
  per_page: wholeNumber(LIMITS.perPage.default).transform((count) =>
    count < 1 ? LIMITS.perPage.default : Math.min(LIMITS.perPage.max, count),
  ),
})

export const Position = z.object({ latitude: z.number(), longitude: z.number() })

/** Of a list as a file: with a heading line, or one JSON object a line. */
export const ExportFormat = z.enum(['csv', 'jsonl'], 'must be csv or jsonl')
export type ExportFormat = z.infer<typeof ExportFormat>
