// Install keys when a tag is renamed or removed.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { replaceTag } from '../filters/replace-tag.ts'
import { deleteInstallKey, lockInstallKeysWithTag, setInstallKeyTags } from './store.ts'

/**
 * Removes or renames a tag in every install key and writes each change to the audit log. A key without any other tag is
 * removed, as a rule is: devices that enrol with it would have none, and escape what is for the tag.
 * @param ctx in a transaction
 * @param to new name of the tag; undefined: it is removed
 * @returns names
 */
export async function replaceTagInInstallKeys(
  ctx: TenantContext,
  tag: string,
  to: string | undefined,
): Promise<{ removed: string[]; changed: string[] }> {
  const because = { tag }
  return replaceTag(await lockInstallKeysWithTag(ctx.db, tag), tag, to, {
    nameOf: ({ name }) => name,
    async remove({ name, tags: before }) {
      await deleteInstallKey(ctx.db, name)
      await audit(ctx, 'install-key.remove', name, { because, before: { tags: before } })
    },
    async change({ name, tags: before }, tags) {
      await setInstallKeyTags(ctx.db, name, tags)
      await audit(ctx, 'install-key.update', name, { because, before: { tags: before }, after: { tags } })
    },
  })
}
