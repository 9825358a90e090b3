// Use cases of tag rules. What a rule gives and takes is done in the background.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { TagRule, TagRules, tagRules } from '@bowline/contract/operations/fleet/tag-rules'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import {
  type TagRuleRow,
  countMatches,
  countRules,
  countWaiting,
  deleteRule,
  enqueueAll,
  insertRule,
  isThere,
  lockNamespace,
  lockRule,
  readRules,
  updateRule,
} from './store.ts'

export async function list(ctx: TenantContext): Promise<TagRules> {
  const rows = await readRules(ctx.db)
  const counts = await countMatches(ctx.db, rows)
  const rules = rows.map((row) => ({ ...toRule(row), ...(counts.get(row.id) ?? { matching: 0, tagged: 0 }) }))
  return { rules, waiting: await countWaiting(ctx.db), devices: Math.max(0, ...rows.map(({ devices }) => devices)) }
}

/** @throws {BowlineError} CONFLICT for a rule that is there; NAMESPACE_FULL */
export async function create(ctx: TenantContext, body: Input<typeof tagRules.create>['body']): Promise<TagRule> {
  const row = await ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db)
    const limit = LIMITS.tagRules.perNamespace
    if ((await countRules(db)) >= limit) fail('NAMESPACE_FULL', { limit, what: 'tag rules' })
    const made = await insertRule(db, { tenant_id: ctx.tenant, ...body })
    if (!made) return fail('CONFLICT', { field: 'query' }, ['query'])
    await audit({ ...ctx, db }, 'tag-rule.create', made.id, described(made))
    return updateRule(db, made.id, { devices: await enqueueAll(db) })
  })
  return withCounts(ctx, row)
}

/** @throws {BowlineError} NOT_FOUND; CONFLICT for a rule that is there */
export async function update(
  ctx: TenantContext,
  id: string,
  { tag, query, active }: Input<typeof tagRules.update>['body'],
): Promise<TagRule> {
  const row = await ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db)
    const before = (await lockRule(db, id)) ?? fail('NOT_FOUND', { what: 'The tag rule' })
    const values = { tag: tag ?? before.tag, query: query ?? before.query, active: active ?? before.active }
    if (await isThere(db, values.tag, values.query, id)) fail('CONFLICT', { field: 'query' }, ['query'])
    const after = await updateRule(db, id, {
      ...values,
      changed_at: new Date(ctx.clock.now()),
      devices: await enqueueAll(db),
    })
    await audit({ ...ctx, db }, 'tag-rule.update', id, { before: described(before), after: described(after) })
    return after
  })
  return withCounts(ctx, row)
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const before = (await lockRule(db, id)) ?? fail('NOT_FOUND', { what: 'The tag rule' })
    await deleteRule(db, id)
    await enqueueAll(db)
    await audit({ ...ctx, db }, 'tag-rule.remove', id, described(before))
  })
}

/** For the audit log. */
export function described({ tag, query, active }: TagRuleRow) {
  return { tag, query, active }
}

async function withCounts(ctx: TenantContext, row: TagRuleRow): Promise<TagRule> {
  const counts = await countMatches(ctx.db, [row])
  return { ...toRule(row), ...(counts.get(row.id) ?? { matching: 0, tagged: 0 }) }
}

function toRule(row: TagRuleRow) {
  const { id, created_at, changed_at } = row
  return { id, ...described(row), created_at: created_at.toISOString(), changed_at: changed_at.toISOString() }
}
