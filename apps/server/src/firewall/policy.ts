// Firewall rules as other nouns touch them: which are for a device, and what becomes of them when a tag goes.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { isForDevice } from './rules.ts'
import { toRule } from './service.ts'
import { deleteRule, findActiveRules, lockRulesWithTag, updateRule } from './store.ts'

/** Tells the ids of the active rules whose filter a device passes. */
export async function deviceRules(
  ctx: TenantContext,
): Promise<(device: { readonly name: string; readonly tags: readonly string[] }) => number[]> {
  const rules = await findActiveRules(ctx.db)
  return (device) => rules.filter((rule) => isForDevice(rule, device)).map(({ id }) => id)
}

/**
 * Takes a tag out of every rule's filter, or puts another in its place, and writes each rule to the audit log. A rule
 * that had no other tag would be for every device or for none: it is removed.
 * @param ctx in a transaction
 * @param to the tag's new name; undefined: it is removed
 * @returns ids
 */
export async function replaceTagInRules(
  ctx: TenantContext,
  tag: string,
  to: string | undefined,
): Promise<{ removed: number[]; changed: number[] }> {
  const removed: number[] = []
  const changed: number[] = []
  const because = { tag }
  for (const row of await lockRulesWithTag(ctx.db, tag)) {
    const tags = (row.tags ?? []).flatMap((one) => (one === tag ? (to ?? []) : one))
    if (tags.length === 0) {
      await deleteRule(ctx.db, row.id)
      await audit(ctx, 'firewall-rule.remove', String(row.id), { because, before: toRule(row) })
      removed.push(row.id)
    } else {
      await updateRule(ctx.db, row.id, { tags })
      const after = toRule({ ...row, tags })
      await audit(ctx, 'firewall-rule.update', String(row.id), { because, before: toRule(row), after })
      changed.push(row.id)
    }
  }
  return { removed, changed }
}
