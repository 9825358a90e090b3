// The tags in use in a namespace.
import { fail } from '@bowline/contract/errors'
import type { TenantContext } from '../context.ts'
import { findUsed, listTags } from './store.ts'

export { findUsed, listTags }

/**
 * Requires the tags of a filter to be in use in the namespace. @throws {BowlineError} NOT_FOUND naming the first unused
 */
export async function requireUsed(ctx: TenantContext, tags: readonly string[]): Promise<void> {
  const used = await findUsed(ctx.db, tags)
  const unknown = tags.find((tag) => !used.has(tag))
  if (unknown !== undefined) fail('NOT_FOUND', { what: `The tag ${unknown}` }, ['filter.tags'])
}
