// Device filter of keys and rules (a hostname pattern or tags): conversion between columns and contract. Pure.
import { BowlineError, fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceFilter } from '@bowline/contract/schemas/tag'
import { patternFlaw } from '../platform/patterns/pattern.ts'

/** A filter as keys and rules store it: exactly one field is set. */
export interface FilterColumns {
  readonly hostname: string | null
  readonly tags: readonly string[] | null
}

export function toColumns(filter: DeviceFilter): FilterColumns {
  return { hostname: filter.hostname ?? null, tags: filter.tags ?? null }
}

export function toFilter({ hostname, tags }: FilterColumns): DeviceFilter {
  return hostname === null ? { tags: [...(tags ?? [])] } : { hostname }
}

/** @throws {BowlineError} INVALID_INPUT naming the field whose RE2 pattern is invalid or repeats too much */
export function requirePatterns(patterns: Readonly<Record<string, string | undefined>>): void {
  for (const [field, pattern] of Object.entries(patterns)) {
    const rule = pattern === undefined ? undefined : patternFlaw(pattern)
    if (rule !== undefined) throw new BowlineError('INVALID_INPUT', { field, rule }, [field])
  }
}

/** Adds a tag. @throws {BowlineError} INVALID_INPUT for a hostname filter; CONFLICT; TAG_LIMIT */
export function withTag({ tags }: FilterColumns, tag: string): string[] {
  const current = requireTags(tags)
  if (current.includes(tag)) fail('CONFLICT', { field: 'tag' }, ['tag'])
  return requireRoom([...current, tag])
}

/** Replaces all tags. @throws {BowlineError} INVALID_INPUT for a hostname filter; TAG_LIMIT */
export function withTags({ tags }: FilterColumns, wanted: readonly string[]): string[] {
  requireTags(tags)
  return requireRoom([...wanted])
}

/**
 * Removes a tag.
 * @throws {BowlineError} INVALID_INPUT for a hostname filter and for the last tag (a filter needs one); NOT_FOUND for a
 *   tag the filter does not have
 */
export function withoutTag({ tags }: FilterColumns, tag: string): string[] {
  const current = requireTags(tags)
  if (!current.includes(tag)) fail('NOT_FOUND', { what: 'The tag' })
  const rest = current.filter((one) => one !== tag)
  if (rest.length === 0) fail('INVALID_INPUT', { field: 'tag', rule: 'is the last one of the filter' }, ['tag'])
  return rest
}

function requireTags(tags: readonly string[] | null): readonly string[] {
  return tags ?? fail('INVALID_INPUT', { field: 'filter', rule: 'is by hostname, not by tags' }, ['filter'])
}

function requireRoom(tags: string[]): string[] {
  if (tags.length > LIMITS.tagsPerItem) fail('TAG_LIMIT', { limit: LIMITS.tagsPerItem }, ['tags'])
  return tags
}
