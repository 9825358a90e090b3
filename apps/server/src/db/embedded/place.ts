// Locates the cluster and its binaries, and the account that runs them. Invariant: once created, a cluster can be
// located from the data folder alone.
//
//   <data>/postgres/          0711, so that another account can traverse but not list it
//     18/                     binaries, see package.ts
//     18-data/                the cluster, 0700, owned by the account
//     18-passwords.json       0600, owned by the owner of this folder
//     postgres.log
//     location                only if the cluster is elsewhere: path of the folder that replaces this one
import { createHash } from 'node:crypto'
import { access, chmod, chown, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../platform/log.ts'
import { type Account, type FileOwner, runAs } from './account.ts'
import { isMissing, startFailed, StartFailed } from './failure.ts'
import { nobodyAccount, ownAccount } from './own-account.ts'
import { installCopy, type PostgresPackage } from './package.ts'

export interface Place {
  /** Real path of the parent folder of binaries and cluster. */
  readonly home: string
  readonly account: Account
  /** Folder of the binaries: `bin`, `lib`, `share`. */
  readonly binaries: string
  /** Real path of the cluster, which may not exist yet. */
  readonly cluster: string
}

/** Home of clusters whose data folder no other account can reach, if user namespaces are forbidden too. */
const ELSEWHERE = '/var/lib/bowline'

/**
 * Chooses the place for a data folder and installs the binaries there.
 * @param dataDir created if missing
 * @throws {StartFailed} when no account can run PostgreSQL there
 */
export async function choosePlace(dataDir: string, source: PostgresPackage, log: Log): Promise<Place> {
  const root = process.getuid?.() === 0
  const inData = join(dataDir, 'postgres')
  await mkdir(inData, { recursive: true, mode: root ? 0o711 : 0o700 })
  const named = await readLocation(inData)
  const home = named ?? (await realpath(inData))
  const first = await tryHome(home, source, root ? 'user' : 'self')
  if (first.place) return first.place
  let { diagnostics } = first
  if (root) {
    const passing = named === undefined ? await tryPassingDataFolder(dataDir, home, source) : undefined
    if (passing) return passing
    const second = await tryHome(home, source, 'namespace')
    if (second.place) return second.place
    const place = named === undefined && !first.hasCluster ? await goElsewhere() : undefined
    if (place) return place
    diagnostics = second.diagnostics
  }
  throw startFailed(`No account of this host can run PostgreSQL in ${home}`, diagnostics, home)

  async function goElsewhere(): Promise<Place | undefined> {
    const folder = join(ELSEWHERE, createHash('sha256').update(home).digest('hex').slice(0, 16))
    await mkdir(folder, { recursive: true, mode: 0o711 })
    const { place } = await tryHome(folder, source, 'user')
    if (!place) return undefined
    log.warn('database.starting', { folder, reason: `only root can reach ${home}; back this folder up as well` })
    await writeLocation(inData, folder)
    await rm(join(inData, String(source.major)), { recursive: true, force: true })
    return place
  }
}

/** Search permission of the group. */
const PASSING = 0o010

/**
 * Grants PostgreSQL's group, which no account has, search permission on a data folder private to root: safer than a
 * user namespace, in which PostgreSQL could read root's files.
 */
async function tryPassingDataFolder(
  dataDir: string,
  home: string,
  source: PostgresPackage,
): Promise<Place | undefined> {
  const [own, nobody] = await Promise.all([ownAccount(home), nobodyAccount()])
  const { uid, gid, mode } = await stat(dataDir)
  const others = mode & 0o077
  // Earlier versions opened it to the group of nobody.
  const isClosed = others === 0 || (others === PASSING && gid === nobody?.gid)
  if (uid !== 0 || !isClosed) return undefined
  await chown(dataDir, 0, own.gid)
  await chmod(dataDir, 0o710)
  const { place } = await tryHome(home, source, 'user')
  if (place) return place
  await chmod(dataDir, mode & 0o777)
  await chown(dataDir, 0, gid)
  return undefined
}

/** Path of the existing cluster of a data folder; undefined without one. */
export async function existingCluster(dataDir: string, major: number): Promise<string | undefined> {
  const inData = join(dataDir, 'postgres')
  const cluster = join((await readLocation(inData)) ?? inData, `${major}-data`)
  return (await clusterOwner(cluster)) === undefined ? undefined : realpath(cluster)
}

interface Attempt {
  readonly place?: Place
  readonly hasCluster: boolean
  /** Error output of the last account that was tried. */
  readonly diagnostics: string
}

type Mode = 'self' | 'user' | 'namespace'

async function tryHome(home: string, source: PostgresPackage, mode: Mode): Promise<Attempt> {
  const binaries = join(home, String(source.major))
  const cluster = join(home, `${source.major}-data`)
  // The umask may have removed the search permission.
  if (mode !== 'self') await chmod(home, 0o711)
  try {
    await installCopy(source, binaries)
  } catch (error) {
    throw startFailed('Copying the embedded PostgreSQL failed', String(error), home, error)
  }
  const owner = await clusterOwner(cluster)
  let diagnostics = ''
  for (const account of await accountsFor(mode, home, owner)) {
    const { status, output } = await runAs(account, join(binaries, 'bin/postgres'), ['--version'], home)
    if (status === 0)
      return { place: { home, account, binaries, cluster }, hasCluster: owner !== undefined, diagnostics }
    diagnostics = output
  }
  return { hasCluster: owner !== undefined, diagnostics }
}

const NAMESPACE: Account = { kind: 'namespace' }

async function accountsFor(mode: Mode, home: string, owner: FileOwner | undefined): Promise<Account[]> {
  switch (mode) {
    case 'self':
      return ownAccounts()
    case 'user':
      return rootAccounts(home, owner)
    case 'namespace':
      return [NAMESPACE]
  }
}

/**
 * Candidates as root: the current owner of the cluster, then a dedicated account. Earlier versions used nobody, which
 * other services share, or a namespace; such a cluster gets a dedicated account.
 */
async function rootAccounts(home: string, owner: FileOwner | undefined): Promise<Account[]> {
  const [own, nobody] = await Promise.all([ownAccount(home), nobodyAccount()])
  // initdb needs an account with a name.
  const others = nobody ? [own] : []
  if (!owner || owner.uid === 0 || owner.uid === nobody?.uid) return others
  return [{ kind: 'user', ...owner }, ...others]
}

/** PostgreSQL looks up the name of its account, which a container may lack; in a namespace it is nobody. */
function ownAccounts(): Account[] {
  const self: Account = { kind: 'self' }
  return hasName() ? [self] : [NAMESPACE, self]
}

function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

async function clusterOwner(cluster: string): Promise<FileOwner | undefined> {
  try {
    await access(join(cluster, 'PG_VERSION'))
    const { uid, gid } = await stat(cluster)
    return { uid, gid }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function readLocation(inData: string): Promise<string | undefined> {
  try {
    const folder = (await readFile(join(inData, 'location'), 'utf8')).trim()
    return await realpath(folder)
  } catch (error) {
    if (!isMissing(error)) throw error
    try {
      await access(join(inData, 'location'))
    } catch {
      return undefined
    }
    throw new StartFailed(`${join(inData, 'location')} names a folder that does not exist; the database was there.`)
  }
}

async function writeLocation(inData: string, folder: string): Promise<void> {
  const file = join(inData, 'location')
  await writeFile(`${file}.new`, `${folder}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
