// Tag rules when a tag is renamed or removed in the whole namespace.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { described } from './service.ts'
import { deleteRule, isThere, lockRulesOfTag, replaceRuleTag, updateRule } from './store.ts'

/**
 * Renames the tag that rules give; a removed tag takes its rules along, which would give it again.
 * @param ctx in a transaction
 * @param to new name of the tag; undefined: it is removed
 * @returns searches of the rules
 */
export async function replaceTagInTagRules(
  ctx: TenantContext,
  tag: string,
  to: string | undefined,
): Promise<{ removed: string[]; changed: string[] }> {
  const because = { tag }
  const [removed, changed]: [string[], string[]] = [[], []]
  for (const row of await lockRulesOfTag(ctx.db, tag)) {
    if (to === undefined || (await isThere(ctx.db, to, row.query, row.id))) {
      await deleteRule(ctx.db, row.id)
      await audit(ctx, 'tag-rule.remove', row.id, { because, ...described(row) })
      removed.push(row.query)
    } else {
      const after = await updateRule(ctx.db, row.id, { tag: to })
      await audit(ctx, 'tag-rule.update', row.id, { because, before: described(row), after: described(after) })
      changed.push(row.query)
    }
  }
  await replaceRuleTag(ctx.db, tag, to)
  return { removed, changed }
}
