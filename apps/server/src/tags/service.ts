// Use cases of tags across a namespace.
import { fail } from '@bowline/contract/errors'
import { replaceTagInAccess } from '../access-requests/ending.ts'
import { replaceCanaryTag } from '../agent-updates/tags.ts'
import { replaceTagInAlerts } from '../alerts/tags.ts'
import { type AuditDetails, audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { replaceTagInRules } from '../firewall/policy.ts'
import type { Listing } from '../db/lists/listing.ts'
import { replaceTagInInstallKeys } from '../install-keys/tags.ts'
import { requirePolicyRights } from '../policy/authority.ts'
import { type NamedKey, replaceTagInKeys } from '../public-keys/policy.ts'
import { findUsed, listTags } from '../filters/used-tags.ts'
import { replaceTagInRoles } from '../roles/tags.ts'
import { replaceTagInSnippets } from '../snippets/tags.ts'
import { replaceTagInTagRules } from '../tag-rules/tags.ts'
import { removeDeviceTag, renameDeviceTag } from './store.ts'

export async function list(ctx: TenantContext): Promise<Listing<string>> {
  const items = await listTags(ctx.db)
  return { items, total: items.length }
}

/**
 * Renames a tag on devices, keys, rules, install keys, alert rules, snippets and roles, and as the canary tag. A tag decides, now
 * and later, which devices those apply to: renaming it needs the right to edit them.
 * @throws {BowlineError} NOT_FOUND for an unused tag; CONFLICT when the new one is in use; POLICY_CHANGE
 */
export async function rename(ctx: TenantContext, from: string, to: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const used = await findUsed(db, [from, to])
    if (!used.has(from)) fail('NOT_FOUND', { what: 'The tag' })
    if (used.has(to)) fail('CONFLICT', { field: 'tag' }, ['tag'])
    const inner = { ...ctx, db }
    const touched = await replaceInPolicy(inner, from, to)
    await renameDeviceTag(db, from, to)
    await audit(inner, 'tag.rename', from, { before: from, after: to, ...touched })
  })
  emitReset(ctx)
}

/**
 * Removes a tag from all that {@link rename} changes. A key or rule without another tag would apply to every device or to
 * none; it is deleted instead, and updates of agents are switched off when the tag is the canary tag.
 * @throws {BowlineError} NOT_FOUND for an unused tag; POLICY_CHANGE if the caller may not edit what has it
 */
export async function remove(ctx: TenantContext, tag: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await findUsed(db, [tag])).has(tag)) fail('NOT_FOUND', { what: 'The tag' })
    const inner = { ...ctx, db }
    const touched = await replaceInPolicy(inner, tag, undefined)
    await removeDeviceTag(db, tag)
    await audit(inner, 'tag.remove', tag, touched)
  })
  emitReset(ctx)
}

/** Changes what is for devices with a tag, then checks rights by what changed, so that concurrent additions count. */
async function replaceInPolicy(ctx: TenantContext, tag: string, to: string | undefined): Promise<AuditDetails> {
  const rules = await replaceTagInRules(ctx, tag, to)
  const keys = await replaceTagInKeys(ctx, tag, to)
  const installKeys = await replaceTagInInstallKeys(ctx, tag, to)
  const alerts = await replaceTagInAlerts(ctx, tag, to)
  const snippets = await replaceTagInSnippets(ctx, tag, to)
  const access = await replaceTagInAccess(ctx, tag, to)
  const roles = await replaceTagInRoles(ctx, tag, to)
  const updates = await replaceCanaryTag(ctx, tag, to)
  const tagRules = await replaceTagInTagRules(ctx, tag, to)
  requirePolicyRights(ctx, {
    rules: [...rules.removed, ...rules.changed],
    keys: [...keys.removed, ...keys.changed],
    installKeys: [...installKeys.removed, ...installKeys.changed],
    alertRules: [...alerts.removed, ...alerts.changed, ...alerts.affected],
    snippets: [...snippets.removed, ...snippets.changed],
    access,
    roles: [...roles.removed, ...roles.changed],
    updates,
    tagRules: [...tagRules.removed, ...tagRules.changed],
  })
  const fingerprints = (named: readonly NamedKey[]) => named.map(({ fingerprint }) => fingerprint)
  return {
    rules,
    keys: { removed: fingerprints(keys.removed), changed: fingerprints(keys.changed) },
    installKeys,
    alerts,
    snippets,
    ...(access.length === 0 ? {} : { access }),
    roles,
    updates,
    tagRules,
  }
}

/** Any number of devices may have changed: emits one reset instead of an event for each. */
function emitReset(ctx: TenantContext): void {
  ctx.emit({ type: 'reset' })
}
