// Which tags a device has after its rules. Pure functions.
import { LIMITS } from '@bowline/contract/limits'

interface Tagged {
  readonly tags: readonly string[]
  /** Those of the tags that rules have given. */
  readonly rule_tags: readonly string[]
  /** Tags of the rules that the device matches. */
  readonly wanted: readonly string[]
}

/**
 * Tags that people have given stay and come first; rules get the room that is left. Of several tags of rules those stay that
 * the device has already, so that nothing changes to and fro.
 */
export function planTags({ tags, rule_tags: given, wanted }: Tagged): Pick<Tagged, 'tags' | 'rule_tags'> {
  const own = tags.filter((tag) => !given.includes(tag))
  const had = tags.filter((tag) => given.includes(tag) && wanted.includes(tag))
  const candidates = new Set([...had, ...wanted].filter((tag) => !own.includes(tag)))
  const ruled = [...candidates].slice(0, Math.max(0, LIMITS.tagsPerItem - own.length))
  return { tags: [...own, ...ruled], rule_tags: ruled }
}

/** The same tags, in whatever order. */
export function sameTags(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((tag) => other.includes(tag))
}
