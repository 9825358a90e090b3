// Tags and the device filters built from them.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'

/** Letters, digits, `-` and `_`; none of the characters with a meaning in paths and SSHIDs. */
export const Tag = z
  .string()
  .min(LIMITS.tag.min, `must have ${LIMITS.tag.min} to ${LIMITS.tag.max} characters`)
  .max(LIMITS.tag.max, `must have ${LIMITS.tag.min} to ${LIMITS.tag.max} characters`)
  .regex(/^[A-Za-z0-9_-]+$/, 'may have letters, digits, - and _ only')

const unique = (tags: readonly string[]): boolean => new Set(tags).size === tags.length

/** At least one. More than three is a separate failure (TAG_LIMIT), so it is not checked here. */
export const Tags = z.array(Tag).min(1, 'must have 1 to 3 tags').max(64).refine(unique, 'must not repeat a tag')

/** A device's tags: an empty list clears them. */
export const DeviceTags = z.array(Tag).max(64).refine(unique, 'must not repeat a tag')

/** A pattern in RE2 syntax. */
export const Pattern = z.string().min(1, 'is required').max(1_024)

/** The devices a key or rule applies to: by name, or by tag. Exactly one of both. */
export const DeviceFilter = z
  .object({ hostname: Pattern.optional(), tags: Tags.max(LIMITS.tagsPerItem, 'must have 1 to 3 tags').optional() })
  .refine(
    (filter) => (filter.hostname === undefined) !== (filter.tags === undefined),
    'must have either hostname or tags',
  )
  .meta({ id: 'DeviceFilter', oneOf: [{ required: ['hostname'] }, { required: ['tags'] }] })
export type DeviceFilter = z.infer<typeof DeviceFilter>
