// Use cases of the snippets of a namespace. The audit log has every text: it may have run in a shell of any member.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { SharedSnippet, snippets } from '@bowline/contract/operations/fleet/snippets'
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { lockNamespace } from '../devices/acceptance.ts'
import {
  type SnippetRow,
  countSnippets,
  deleteSnippet,
  insertSnippet,
  isNameTaken,
  lockSnippet,
  readSnippets,
  updateSnippet,
} from './store.ts'

export async function list(ctx: TenantContext): Promise<SharedSnippet[]> {
  return (await readSnippets(ctx.db)).map((row) => toSnippet(row))
}

/** @throws {BowlineError} CONFLICT for a name in use; NAMESPACE_FULL; USER_TOKEN_REQUIRED */
export async function create(ctx: TenantContext, body: Input<typeof snippets.create>['body']): Promise<SharedSnippet> {
  const { id, name } = author(ctx)
  return ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db)
    const limit = LIMITS.snippets.perNamespace
    if ((await countSnippets(db)) >= limit) fail('NAMESPACE_FULL', { limit, what: 'snippets' })
    const by = { created_by: id, created_by_name: name, changed_by: id, changed_by_name: name }
    const made = await insertSnippet(db, { tenant_id: ctx.tenant, ...body, ...by })
    if (!made) return fail('CONFLICT', { field: 'name' }, ['name'])
    await audit({ ...ctx, db }, 'snippet.create', made.id, described(made))
    return toSnippet(made)
  })
}

/** @throws {BowlineError} NOT_FOUND; CONFLICT for a name in use; USER_TOKEN_REQUIRED */
export async function update(
  ctx: TenantContext,
  id: string,
  { name, text, tags }: Input<typeof snippets.update>['body'],
): Promise<SharedSnippet> {
  const by = author(ctx)
  return ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db)
    const before = (await lockSnippet(db, id)) ?? fail('NOT_FOUND', { what: 'The snippet' })
    if (name !== undefined && (await isNameTaken(db, name, id))) fail('CONFLICT', { field: 'name' }, ['name'])
    const after = await updateSnippet(db, id, {
      name: name ?? before.name,
      text: text ?? before.text,
      tags: tags ?? before.tags,
      changed_at: new Date(ctx.clock.now()),
      changed_by: by.id,
      changed_by_name: by.name,
    })
    await audit({ ...ctx, db }, 'snippet.update', id, { before: described(before), after: described(after) })
    return toSnippet(after)
  })
}

/** @throws {BowlineError} NOT_FOUND */
export async function remove(ctx: TenantContext, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    const before = (await lockSnippet(db, id)) ?? fail('NOT_FOUND', { what: 'The snippet' })
    await deleteSnippet(db, id)
    await audit({ ...ctx, db }, 'snippet.remove', id, described(before))
  })
}

/** Whoever uses a snippet sees who is behind it: a person, never a program. */
function author({ actor }: TenantContext) {
  return actor.kind === 'user' ? { id: actor.id, name: actor.username } : fail('USER_TOKEN_REQUIRED')
}

/** For the audit log. */
export function described({ name, text, tags }: SnippetRow) {
  return { name, text, tags: [...tags] }
}

function toSnippet(row: SnippetRow): SharedSnippet {
  return {
    id: row.id,
    ...described(row),
    created_at: row.created_at.toISOString(),
    created_by: { id: row.created_by, name: row.created_by_name },
    changed_at: row.changed_at.toISOString(),
    changed_by: { id: row.changed_by, name: row.changed_by_name },
  }
}
