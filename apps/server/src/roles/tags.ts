// Tags in the roles of a namespace: they decide for which devices the role is.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { replaceTag } from '../filters/replace-tag.ts'
import { described } from './service.ts'
import { deleteOwnRole, listTaggedRoles, lockRolesWithTag, updateOwnRole } from './store.ts'

/** Returns a function that lists the names of the roles, limited to tags, that are for a device. */
export async function deviceRoles(
  ctx: TenantContext,
): Promise<(device: { readonly tags: readonly string[] }) => string[]> {
  const limited = await listTaggedRoles(ctx.db)
  return (device) =>
    limited.filter(({ tags }) => tags?.some((tag) => device.tags.includes(tag))).map(({ name }) => name)
}

/**
 * Renames a tag in roles, or removes it; a role without any other tag is removed, because it would be for every device.
 * @param ctx in a transaction
 * @param to new name of the tag; undefined: it is removed
 * @returns names
 */
export async function replaceTagInRoles(
  ctx: TenantContext,
  tag: string,
  to: string | undefined,
): Promise<{ removed: string[]; changed: string[] }> {
  const because = { tag }
  return replaceTag(await lockRolesWithTag(ctx.db, tag), tag, to, {
    nameOf: ({ name }) => name,
    async remove(row) {
      await deleteOwnRole(ctx.db, row.id)
      await audit(ctx, 'role.remove', row.id, { because, ...described(row) })
    },
    async change(row, tags) {
      const after = await updateOwnRole(ctx.db, row.id, { tags })
      await audit(ctx, 'role.update', row.id, { because, before: described(row), after: described(after) })
    },
  })
}
