// Snippets of a namespace when a tag is renamed or removed.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { replaceTag } from '../filters/replace-tag.ts'
import { described } from './service.ts'
import { deleteSnippet, lockSnippetsWithTag, updateSnippet } from './store.ts'

/**
 * Removes or renames a tag in every snippet and writes each change to the audit log. A snippet without any other tag is removed,
 * because it would be offered on every device; the audit log keeps its text.
 * @param ctx in a transaction
 * @param to new name of the tag; undefined: it is removed
 * @returns names
 */
export async function replaceTagInSnippets(
  ctx: TenantContext,
  tag: string,
  to: string | undefined,
): Promise<{ removed: string[]; changed: string[] }> {
  const because = { tag }
  return replaceTag(await lockSnippetsWithTag(ctx.db, tag), tag, to, {
    nameOf: ({ name }) => name,
    async remove(row) {
      await deleteSnippet(ctx.db, row.id)
      await audit(ctx, 'snippet.remove', row.id, { because, ...described(row) })
    },
    async change(row, tags) {
      const after = await updateSnippet(ctx.db, row.id, { tags })
      await audit(ctx, 'snippet.update', row.id, { because, before: described(row), after: described(after) })
    },
  })
}
