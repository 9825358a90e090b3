// Public keys as other nouns touch them: which are for a device, and what becomes of them when a tag goes.
import { audit } from '../audit/service.ts'
import type { TenantContext } from '../context.ts'
import { deviceTest, isEnabled } from './rules.ts'
import { facts } from './service.ts'
import { deletePublicKey, listEveryPublicKey, lockPublicKeysWithTag, updatePublicKey } from './store.ts'

/** How a key is named to people. */
export interface NamedKey {
  readonly fingerprint: string
  readonly name: string
}

/** Tells the enabled keys whose filter a device passes; the same object for the same key each time. */
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
 * Takes a tag out of every key's filter, or puts another in its place, and writes each key to the audit log. A key that
 * had no other tag would be for every device or for none: it is removed.
 * @param ctx in a transaction
 * @param to the tag's new name; undefined: it is removed
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
