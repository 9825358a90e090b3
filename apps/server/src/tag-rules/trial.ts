// What a rule would do before it is saved.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { TagRuleEffect, tagRules } from '@bowline/contract/operations/fleet/tag-rules'
import type { TenantContext } from '../context.ts'
import { planTags } from './plan.ts'
import { type TagRuleRow, type TaggingRule, countAlike, firstMatches, readRules } from './store.ts'

/**
 * Counts by the plan that the worker carries out, with the tags of people and the room of each device.
 * @throws {BowlineError} NOT_FOUND for a changed rule that is not there
 */
export async function tryChange(
  ctx: TenantContext,
  { id, tag, query, active }: Input<typeof tagRules.tryChange>['body'],
): Promise<TagRuleEffect> {
  const rules = await readRules(ctx.db)
  const before = rules.find((rule) => rule.id === id)
  if (id !== undefined && !before) fail('NOT_FOUND', { what: 'The tag rule' })
  const after = tag === undefined ? rules : withRule(rules, before, { tag, query, active })
  const groups = await countAlike(
    ctx.db,
    after.filter((rule) => rule.active),
    { query },
  )
  const planned = groups.map((group) => ({ ...group, next: planTags(group).tags }))
  const count = (counted: (group: (typeof planned)[number]) => boolean) =>
    planned.filter(counted).reduce((sum, { devices }) => sum + devices, 0)
  const [given, taken] = tag === undefined ? [undefined, undefined] : [tag, before?.tag]
  return {
    matching: count(({ matches }) => matches),
    names: await firstMatches(ctx.db, { query }, LIMITS.tagRules.shownNames),
    tagged: count(({ tags, next }) => given !== undefined && next.includes(given) && !tags.includes(given)),
    untagged: count(({ tags, next }) => taken !== undefined && tags.includes(taken) && !next.includes(taken)),
  }
}

/** In the order in which the rules are tried, which is that of tags first. */
function withRule(
  rules: readonly TagRuleRow[],
  before: TagRuleRow | undefined,
  rule: TaggingRule,
): readonly TaggingRule[] {
  const others: readonly TaggingRule[] = rules.filter((other) => other !== before)
  const at = others.findIndex(({ tag }) => tag > rule.tag)
  return others.toSpliced(at === -1 ? others.length : at, 0, rule)
}
