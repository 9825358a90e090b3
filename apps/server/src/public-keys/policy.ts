// Public keys for other nouns: the keys of a device, and their update when a tag is renamed or removed.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { replaceTag } from '../filters/replace-tag.ts'
import { deviceTest, isEnabled } from './rules.ts'
import { facts } from './service.ts'
import { deletePublicKey, listEveryPublicKey, lockPublicKeysWithTag, updatePublicKey } from './store.ts'

/** Name of a key in messages. */
export interface NamedKey {
  readonly fingerprint: string
  readonly name: string
}

/** @returns a function that finds the enabled keys of a device; the same object for the same key each time */
export async function deviceKeys(
  ctx: TenantContext,
): Promise<(device: { readonly name: string; readonly tags: readonly string[] }) => NamedKey[]> {
  const enabled = (await listEveryPublicKey(ctx.db)).filter((row) => isEnabled(row))
  const keys = enabled.map((row) => ({
    named: { fingerprint: row.fingerprint, name: row.name },
    isFor: deviceTest(row),
  }))
  return (device) => keys.filter(({ isFor }) => isFor(device)).map(({ named }) => named)
}

/**
 * Removes or replaces a tag in every key's filter and writes each key to the audit log. A key without another tag would
 * apply to every device or to none: it is deleted.
 * @param ctx context in a transaction
 * @param to the tag's new name; undefined removes it
 */
export async function replaceTagInKeys(
  ctx: TenantContext,
  tag: string,
  to: string | undefined,
): Promise<{ removed: NamedKey[]; changed: NamedKey[] }> {
  const because = { tag }
  return replaceTag(await lockPublicKeysWithTag(ctx.db, tag), tag, to, {
    nameOf: ({ fingerprint, name }) => ({ fingerprint, name }),
    async remove(row) {
      await deletePublicKey(ctx.db, row.fingerprint)
      await audit(ctx, 'public-key.remove', row.fingerprint, { because, before: facts(row) })
    },
    async change(row, tags) {
      await updatePublicKey(ctx.db, row.fingerprint, { tags })
      const after = facts({ ...row, tags })
      await audit(ctx, 'public-key.update', row.fingerprint, { because, before: facts(row), after })
    },
  })
}
