// Checks of folders and disks.
import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ServerConfig } from '../config.ts'
import { NoRoom, requireRoom } from '../recordings/file/disk-space.ts'
import { type Finding, finding, reason } from './finding.ts'

const CHECK = 'data folder'
const OTHERS = 0o007
const GROUP_AND_OTHERS = 0o077
const GIB = 1_073_741_824
/** Recordings soon use up less than this. */
const LITTLE_BYTES = 2 * GIB

export async function checkDataFolder({ dataFolder }: ServerConfig): Promise<Finding[]> {
  const place = await nearest(dataFolder)
  try {
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const remedy = `Give it to the account that runs the server: chown -R <account> ${place}`
    return [finding(CHECK, 'fail', `${place} cannot be written to: ${reason(error)}`, remedy)]
  }
  if (place !== dataFolder) return [finding(CHECK, 'ok', `${dataFolder} will be made at the first start.`)]
  const found = await stat(dataFolder)
  if (!found.isDirectory()) {
    return [finding(CHECK, 'fail', `${dataFolder} is not a folder.`, 'Name a folder in BOWLINE_DATA_DIR.')]
  }
  const open = (found.mode & OTHERS) === 0 ? [] : [dataFolder]
  for (const name of ['secret.key', 'node.secret', 'tls.key']) {
    const file = join(dataFolder, name)
    const mode = await stat(file).then(
      (one) => one.mode,
      () => 0,
    )
    if ((mode & GROUP_AND_OTHERS) !== 0) open.push(file)
  }
  if (open.length === 0) return [finding(CHECK, 'ok', `${dataFolder} can be written to, and others cannot enter it.`)]
  const [verb, mode] = [open.length === 1 ? 'is' : 'are', open.includes(dataFolder) ? 'o-rwx' : 'go-rwx']
  return [finding(CHECK, 'warn', `${open.join(', ')} ${verb} open to others.`, `chmod ${mode} ${open.join(' ')}`)]
}

/** Checks the free disk space for recordings. */
export async function checkRoom({ recordingsFolder }: ServerConfig): Promise<Finding[]> {
  const folder = await nearest(recordingsFolder)
  const { bavail, bsize } = await statfs(folder)
  const free = `${((bavail * bsize) / GIB).toFixed(1)} GiB`
  const remedy = `Free some space on the disk that holds ${folder}, shorten the retention, or set an S3 store.`
  try {
    await requireRoom(folder)
  } catch (error) {
    if (!(error instanceof NoRoom)) throw error
    return [finding('disk', 'fail', `${free} are free: too little to record anything.`, remedy)]
  }
  if (bavail * bsize < LITTLE_BYTES) return [finding('disk', 'warn', `${free} are free for recordings.`, remedy)]
  return [finding('disk', 'ok', `${free} are free for recordings.`)]
}

/** Returns the path itself or its nearest existing ancestor. */
async function nearest(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  return exists || dirname(path) === path ? path : nearest(dirname(path))
}
