// Transfers a cluster to another account. The current account may be untrusted (`nobody`, which other services share),
// so its processes must not be able to redirect the changes.
import { lchown, lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileOwner } from './account.ts'
import { StartFailed } from './failure.ts'

/** Changes owner last: while it has the previous one, an interrupted transfer is repeated. */
const LAST = 'PG_VERSION'

/**
 * Transfers the files to the account if another one ran the cluster before; the cluster must not be running.
 * @throws {StartFailed} without the permission to do so
 */
export async function giveTo(cluster: string, owner: FileOwner): Promise<void> {
  const marker = join(cluster, LAST)
  const { uid: earlier } = await stat(marker)
  const { uid: folder } = await stat(cluster)
  if (earlier === owner.uid && folder === owner.uid) return
  if (process.getuid?.() !== 0) {
    throw new StartFailed(`The database in ${cluster} belongs to another account (uid ${earlier}); start as that one.`)
  }
  await giveFolder(cluster, earlier, owner, LAST)
  await lchown(marker, owner.uid, owner.gid)
}

/**
 * Changes the owner of each folder before reading its entries: from then on the previous account cannot plant a link in
 * it. Entries of a third account are skipped; they may be hard links to somebody else's files.
 */
async function giveFolder(folder: string, earlier: number, owner: FileOwner, except?: string): Promise<void> {
  await lchown(folder, owner.uid, owner.gid)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const { uid } = await lstat(path)
    if (entry.name === except || (uid !== earlier && uid !== owner.uid)) continue
    if (entry.isDirectory()) await giveFolder(path, earlier, owner)
    else await lchown(path, owner.uid, owner.gid)
  }
}
