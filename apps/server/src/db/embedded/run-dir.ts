// Folders for the database's socket. Socket paths are limited to 107 bytes and data folders may be deep, so sockets
// live in short folders below world-writable ones: nothing here follows a link or takes over a foreign folder.
import { chown, lchown, lstat, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { type Account, fileOwner } from './account.ts'
import { isMissing, StartFailed } from './failure.ts'

/** Port number in the socket's name. */
export const PORT = 5432

const RUN_PARENTS = ['/tmp', '/var/tmp', '/dev/shm'] as const
const RUN_PREFIX = 'bowline-pg-'
const SOCKET = `.s.PGSQL.${PORT}`
/** Empty file named after the process id of the server that uses the folder. */
const USER_FILE = /^server-(\d+)$/
/** Minimum age for removal: a server may be about to use a younger folder. */
const UNUSED_MS = 10 * 60_000

/** Creates a private folder for the socket, owned by the account and marked as used by this server. */
export async function makeRunDir(account: Account): Promise<string> {
  const { uid, gid } = fileOwner(account)
  let reason: unknown
  for (const parent of RUN_PARENTS) {
    try {
      const folder = await mkdtemp(join(parent, RUN_PREFIX))
      await useRunDir(folder)
      await chown(folder, uid, gid)
      return folder
    } catch (error) {
      reason = error
    }
  }
  throw new StartFailed(`No folder for the database's socket can be made in ${RUN_PARENTS.join(', ')}: ${reason}`)
}

/** Marks a folder as used by this server, even one created by an earlier server; ignores any other path. */
export async function useRunDir(folder: string): Promise<void> {
  if (!isRunDir(folder)) return
  await writeFile(join(folder, `server-${process.pid}`), '', { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  })
}

/** Removes sockets and lock files of an earlier run, or recreates the folder if a cleaner of /tmp removed it. */
export async function cleanRunDir(folder: string, account: Account): Promise<void> {
  const { uid, gid } = fileOwner(account)
  try {
    const found = await lstat(folder)
    if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
      throw new StartFailed(`${folder}, the folder of the database's socket, was replaced by somebody else.`)
    }
    for (const name of await readdir(folder)) {
      if (!USER_FILE.test(name)) await rm(join(folder, name), { force: true })
    }
  } catch (error) {
    if (!isMissing(error)) throw error
    await mkdir(folder, { mode: 0o700 })
    await useRunDir(folder)
    await lchown(folder, uid, gid)
  }
}

/** Removes a folder created by {@link makeRunDir}; ignores any other path. */
export async function removeRunDir(folder: string): Promise<void> {
  if (isRunDir(folder)) await rm(folder, { recursive: true, force: true })
}

function isRunDir(folder: string): boolean {
  return RUN_PARENTS.some((parent) => dirname(folder) === parent && folder.startsWith(`${parent}/${RUN_PREFIX}`))
}

/**
 * Removes the folders of killed servers whose PostgreSQL has exited too. A folder is kept while its socket answers,
 * while the server that uses it is alive, for ten minutes after its last change, and when it is foreign.
 */
export async function removeAbandonedRunDirs(): Promise<void> {
  for (const parent of RUN_PARENTS) {
    const names = await readdir(parent).catch(() => [])
    for (const name of names.filter((one) => one.startsWith(RUN_PREFIX))) {
      const folder = join(parent, name)
      if (await isAbandoned(folder).catch(() => false)) await removeRunDir(folder).catch(() => undefined)
    }
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  const found = await lstat(folder)
  const self = process.getuid?.()
  if (!found.isDirectory() || (found.mode & 0o077) !== 0 || (self !== 0 && found.uid !== self)) return false
  if (Date.now() - found.mtimeMs < UNUSED_MS || (await answers(join(folder, SOCKET)))) return false
  const pids = (await readdir(folder)).map((name) => USER_FILE.exec(name)?.[1]).filter((pid) => pid !== undefined)
  const living = await Promise.all(pids.map(isLiving))
  return !living.includes(true)
}

/** Also detects a PostgreSQL in another container, whose process ids are meaningless here. */
function answers(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const connection = connect(socket)
  connection.once('connect', () => resolve(true))
  connection.once('error', (error: NodeJS.ErrnoException) =>
    resolve(error.code !== 'ENOENT' && error.code !== 'ECONNREFUSED'),
  )
  return promise.finally(() => connection.destroy())
}

async function isLiving(pid: string): Promise<boolean> {
  try {
    await stat(`/proc/${pid}`)
    return true
  } catch (error) {
    return !isMissing(error)
  }
}
