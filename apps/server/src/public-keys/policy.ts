// Public keys for other nouns: the keys of a device, and their update when a tag is renamed or removed.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
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
  const removed: NamedKey[] = []
  const changed: NamedKey[] = []
  const because = { tag }
  for (const row of await lockPublicKeysWithTag(ctx.db, tag)) {
    const { fingerprint, name } = row
    const tags = (row.tags ?? []).flatMap((one) => (one === tag ? (to ?? []) : one))
    if (tags.length === 0) {
      await deletePublicKey(ctx.db, fingerprint)
      await audit(ctx, 'public-key.remove', fingerprint, { because, before: facts(row) })
      removed.push({ fingerprint, name })
    } else {
      await updatePublicKey(ctx.db, fingerprint, { tags })
      const after = facts({ ...row, tags })
      await audit(ctx, 'public-key.update', fingerprint, { because, before: facts(row), after })
      changed.push({ fingerprint, name })
    }
  }
  return { removed, changed }
}
