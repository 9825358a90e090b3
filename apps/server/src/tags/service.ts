// Use cases of tags across a namespace.
import { fail } from '@bowline/contract/errors'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import type { Listing } from '../http/route.ts'
import { findUsed, listTags, removeTag, renameTag } from './store.ts'

export async function list(ctx: TenantContext): Promise<Listing<string>> {
  const items = await listTags(ctx.db)
  return { items, total: items.length }
}

/** @throws {BowlineError} NOT_FOUND for an unused tag; CONFLICT when the new one is in use */
export async function rename(ctx: TenantContext, from: string, to: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const used = await findUsed(db, [from, to])
    if (!used.has(from)) fail('NOT_FOUND', { what: 'The tag' })
    if (used.has(to)) fail('CONFLICT', { field: 'tag' }, ['tag'])
    await renameTag(db, from, to)
    await audit({ ...ctx, db }, 'tag.rename', from, { before: from, after: to })
  })
  tellReload(ctx)
}

/**
 * Removes a tag from devices, keys and rules. A key or rule that had no other tag would be for every device or for none;
 * it is removed instead.
 * @throws {BowlineError} NOT_FOUND for an unused tag
 */
export async function remove(ctx: TenantContext, tag: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    if (!(await findUsed(db, [tag])).has(tag)) fail('NOT_FOUND', { what: 'The tag' })
    await removeTag(db, tag)
    await audit({ ...ctx, db }, 'tag.remove', tag)
  })
  tellReload(ctx)
}

/** Any number of devices have changed: one word to load anew instead of an event for each. */
function tellReload(ctx: TenantContext): void {
  ctx.emit({ type: 'reset' })
}

/** Tags of a filter must be in use in the namespace. @throws {BowlineError} NOT_FOUND naming the first that is not */
export async function requireUsed(ctx: TenantContext, tags: readonly string[]): Promise<void> {
  const used = await findUsed(ctx.db, tags)
  const unknown = tags.find((tag) => !used.has(tag))
  if (unknown !== undefined) fail('NOT_FOUND', { what: `The tag ${unknown}` }, ['filter.tags'])
}
