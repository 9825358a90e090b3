// Handing a cluster to another account. The account that has it so far may be an untrusted one (`nobody`, which other
// services share), so its processes must not be able to steer the changes elsewhere.
import { lchown, lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileOwner } from './account.ts'
import { StartFailed } from './failure.ts'

/** Changes owner last: while it has the earlier one, a handover that was cut off is to be done again. */
const LAST = 'PG_VERSION'

/**
 * Hands the files to the account when another one ran the cluster before; the cluster must not be running.
 * @throws {StartFailed} when we may not
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
 * Each folder changes owner before its entries are read: from then on the earlier account cannot put a link into it.
 * Entries of a third account are left alone; a hard link to a file of somebody else may be among them.
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
