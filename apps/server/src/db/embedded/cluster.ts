// Creates a cluster: initdb in an adjacent folder, then one rename. Invariants: a cluster is complete or absent, and it
// never accepts a connection without a password.
import { chmod, chown, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Account, fileOwner, runAs } from './account.ts'
import { isMissing, startFailed, StartFailed } from './failure.ts'
import { hasEntry, nobodyAccount } from './own-account.ts'
import { giveTo } from './ownership.ts'
import { ensurePasswords, moveEarlierPasswords } from './passwords.ts'
import type { Place } from './place.ts'

/** Bootstrap superuser; only the supervisor logs in with it. */
export const SUPERVISOR_USER = 'bowline_supervisor'
/** Owner of the database, the login of the server. */
export const OWNER_USER = 'bowline'
export const DATABASE = 'bowline'

/** No network listener, and no login without a password. */
const HOST_BASED_ACCESS = 'local all all scram-sha-256\n'

/**
 * Creates the cluster unless it exists. Safe with concurrent servers: the first rename wins.
 * @param durable false omits the fsync calls, for tests
 * @throws {StartFailed} when initdb fails, or only a cluster of another major version exists
 */
export async function ensureCluster(place: Place, durable: boolean): Promise<void> {
  if (await exists(join(place.cluster, 'PG_VERSION'))) {
    await giveTo(place.cluster, fileOwner(place.account))
    return moveEarlierPasswords(place.cluster)
  }
  await removeLeftovers(place)
  const other = (await readdir(place.home)).find((name) => /^\d+-data$/.test(name) && name !== basename(place.cluster))
  if (other) {
    throw new StartFailed(
      `The database in ${join(place.home, other)} was made by another major version of PostgreSQL, and this Bowline ` +
        `brings ${basename(place.binaries)}. Make a backup with the version of Bowline that made it and restore it here.`,
    )
  }
  const workFolder = `${place.cluster}.new-${process.pid}`
  try {
    const fresh = await initialise(place, workFolder, durable)
    await rename(fresh, place.cluster)
  } catch (error) {
    if (await exists(join(place.cluster, 'PG_VERSION'))) return
    if (error instanceof StartFailed) throw error
    throw startFailed('Making the database failed', String(error), place.home, error)
  } finally {
    await rm(workFolder, { recursive: true, force: true })
  }
}

/**
 * @param workFolder temporary folder, created here
 * @returns folder of the new cluster in the workFolder
 */
async function initialise(place: Place, workFolder: string, durable: boolean): Promise<string> {
  const owner = fileOwner(place.account)
  const account = await initialiserOf(place.account)
  const { uid, gid } = fileOwner(account)
  const { supervisor } = await ensurePasswords(place.cluster, durable)
  // The group, which only our account has, keeps out other processes of the initialiser's account.
  await mkdir(workFolder, { mode: 0o700 })
  await chmod(workFolder, 0o710)
  await chown(workFolder, process.getuid?.() ?? uid, gid)
  const fresh = join(workFolder, 'cluster')
  const passwordFile = join(workFolder, 'initdb-password')
  await mkdir(fresh, { mode: 0o700 })
  await chown(fresh, uid, gid)
  await writeFile(passwordFile, supervisor, { mode: 0o600, flag: 'wx' })
  await chown(passwordFile, uid, gid)
  const { status, output } = await runAs(
    account,
    join(place.binaries, 'bin/initdb'),
    [
      '--pgdata',
      fresh,
      '--username',
      SUPERVISOR_USER,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Locales of the operating system may be missing or change under an index; the builtin one does neither.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    place.home,
  )
  if (status !== 0) throw startFailed('Making the database failed', output, place.home)
  await giveTo(fresh, owner)
  await writeFile(join(fresh, 'pg_hba.conf'), HOST_BASED_ACCESS, { flush: durable })
  return fresh
}

/**
 * initdb, unlike the server, needs an account with a name. Without one it runs as nobody, but in our group: otherwise
 * other processes of nobody could enter the folder, trace the program or read its memory.
 */
async function initialiserOf(account: Account): Promise<Account> {
  if (account.kind !== 'user' || (await hasEntry(account.uid))) return account
  const nobody = await nobodyAccount()
  if (!nobody) throw new StartFailed('initdb needs the account nobody, which this host does not have in /etc/passwd.')
  return { ...nobody, gid: account.gid }
}

/** Removes unfinished clusters and copies of dead servers. */
async function removeLeftovers(place: Place): Promise<void> {
  const folder = dirname(place.cluster)
  for (const name of await readdir(folder)) {
    const match = /^\d+(?:-data)?\.(?:new|old)-(\d+)/.exec(name)
    if (match && !(await exists(`/proc/${match[1]}`))) await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
