// Alert rules when a tag is renamed or removed.
import { FilterText } from '@bowline/contract/schemas/filter'
import { fail } from '@bowline/contract/errors'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { withTagReplaced } from '../filters/replace-tag.ts'
import { filterNamesTag, renameTagInFilter } from './filter-tags.ts'
import { described } from './service.ts'
import { deleteRule, lockRulesWithTagOrFilter, updateRule } from './store.ts'

/**
 * Removes or renames a tag in every alert rule and writes each change to the audit log. A rule without any other tag is
 * removed, because it would tell of every device. A filter that names a removed tag stays: it finds no device by it.
 * @param ctx in a transaction
 * @param to new name of the tag; undefined: it is removed
 * @returns ids; `affected` are rules that stay as they are, but find other devices
 * @throws {BowlineError} INVALID_INPUT for a name with which a filter becomes too long
 */
export async function replaceTagInAlerts(
  ctx: TenantContext,
  tag: string,
  to: string | undefined,
): Promise<{ removed: string[]; changed: string[]; affected: string[] }> {
  const removed: string[] = []
  const changed: string[] = []
  const affected: string[] = []
  const because = { tag }
  for (const row of await lockRulesWithTagOrFilter(ctx.db, tag)) {
    const isTagged = row.tags.includes(tag)
    if (!isTagged && !filterNamesTag(row.filter, tag)) continue
    const tags = withTagReplaced(row.tags, tag, to)
    const filter = to === undefined ? row.filter : renameTagInFilter(row.filter, tag, to)
    if (!FilterText.safeParse(filter).success) {
      fail('INVALID_INPUT', { field: 'tag', rule: `makes the filter of the alert rule ${row.id} too long` }, ['tag'])
    }
    if (isTagged && tags.length === 0) {
      await deleteRule(ctx.db, row.id)
      await audit(ctx, 'alert-rule.remove', row.id, { because, name: row.name, before: described(row) })
      removed.push(row.id)
    } else if (isTagged || filter !== row.filter) {
      const after = await updateRule(ctx.db, row.id, { tags, filter })
      await audit(ctx, 'alert-rule.update', row.id, { because, before: described(row), after: described(after) })
      changed.push(row.id)
    } else affected.push(row.id)
  }
  return { removed, changed, affected }
}
