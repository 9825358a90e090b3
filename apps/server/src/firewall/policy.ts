// Firewall rules for other nouns: rules that match a device, and the effects of a tag's and of a member's removal.
import type { UserId } from '@bowline/contract/schemas/common'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { replaceTag } from '../filters/replace-tag.ts'
import { isForDevice } from './rules.ts'
import { toRule } from './service.ts'
import { deleteRule, findActiveRules, lockRulesAbout, lockRulesWithTag, updateRule } from './store.ts'

/** Returns a function that lists the ids of active rules whose filter matches a device. */
export async function deviceRules(
  ctx: TenantContext,
): Promise<(device: { readonly name: string; readonly tags: readonly string[] }) => number[]> {
  const rules = await findActiveRules(ctx.db)
  return (device) => rules.filter((rule) => isForDevice(rule, device)).map(({ id }) => id)
}

/**
 * Removes or renames a tag in every rule's filter and writes each change to the audit log. A rule without any other tag
 * is removed, because it would match every device or none.
 * @param ctx in a transaction
 * @param to new name of the tag; undefined: it is removed
 * @returns ids
 */
export async function replaceTagInRules(
  ctx: TenantContext,
  tag: string,
  to: string | undefined,
): Promise<{ removed: number[]; changed: number[] }> {
  const because = { tag }
  return replaceTag(await lockRulesWithTag(ctx.db, tag), tag, to, {
    nameOf: ({ id }) => id,
    async remove(row) {
      await deleteRule(ctx.db, row.id)
      await audit(ctx, 'firewall-rule.remove', String(row.id), { because, before: toRule(row) })
    },
    async change(row, tags) {
      await updateRule(ctx.db, row.id, { tags })
      const after = toRule({ ...row, tags })
      await audit(ctx, 'firewall-rule.update', String(row.id), { because, before: toRule(row), after })
    },
  })
}

/**
 * Removes somebody who is no member any more from every rule, and writes each change to the audit log. A rule about nobody
 * else is removed: without people it would be about everybody.
 * @param ctx in a transaction, after the membership was locked; its connection may see other namespaces
 */
export async function forgetPersonInRules(ctx: TenantContext, person: UserId): Promise<void> {
  const because = { person }
  for (const row of await lockRulesAbout(ctx.db, ctx.tenant, person)) {
    const people = row.people.filter((one) => one !== person)
    if (people.length === 0 && row.roles.length === 0) {
      await deleteRule(ctx.db, row.id)
      await audit(ctx, 'firewall-rule.remove', String(row.id), { because, before: toRule(row) })
    } else {
      await updateRule(ctx.db, row.id, { people })
      const after = toRule({ ...row, people })
      await audit(ctx, 'firewall-rule.update', String(row.id), { because, before: toRule(row), after })
    }
  }
}
