// Making a cluster: initdb in a folder beside, then one rename. Invariants: a cluster is whole or absent, it never
// accepts a connection without a password, and its passwords lie inside it, readable by its owner only.
import { randomBytes } from 'node:crypto'
import { chown, lchown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { fileOwner, runAs } from './account.ts'
import { isMissing, startFailed, StartFailed } from './failure.ts'
import type { Place } from './place.ts'

/** Bootstrap superuser; only the supervisor signs in as this one. */
export const SUPERVISOR_USER = 'bowline_supervisor'
/** Owner of the database, the login of the server. */
export const OWNER_USER = 'bowline'
export const DATABASE = 'bowline'

const Passwords = z.object({ supervisor: z.string().min(1), owner: z.string().min(1) })
export type Passwords = z.infer<typeof Passwords>

const PASSWORDS_FILE = 'bowline-passwords.json'
/** Everything else is refused: there is no network listener, and nobody gets in without a password. */
const HOST_BASED_ACCESS = 'local all all scram-sha-256\n'

/**
 * Makes the cluster unless there is one. Another server that makes it at the same moment does no harm: the first rename
 * wins.
 * @param runDir private folder of the account for the password file
 * @param durable false leaves out the fsync calls, for tests
 * @throws {StartFailed} when initdb fails, or only a cluster of another major version exists
 */
export async function ensureCluster(place: Place, runDir: string, durable: boolean): Promise<void> {
  if (await exists(join(place.cluster, 'PG_VERSION'))) return giveTo(place)
  await removeLeftovers(place)
  const other = (await readdir(place.home)).find((name) => /^\d+-data$/.test(name) && name !== basename(place.cluster))
  if (other) {
    throw new StartFailed(
      `The database in ${join(place.home, other)} was made by another major version of PostgreSQL, and this Bowline ` +
        `brings ${basename(place.binaries)}. Make a backup with the version of Bowline that made it and restore it here.`,
    )
  }
  const fresh = `${place.cluster}.new-${process.pid}`
  try {
    await initialise(place, fresh, runDir, durable)
    await rename(fresh, place.cluster)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    if (await exists(join(place.cluster, 'PG_VERSION'))) return
    if (error instanceof StartFailed) throw error
    throw startFailed('Making the database failed', String(error), place.home, error)
  }
}

async function initialise(place: Place, fresh: string, runDir: string, durable: boolean): Promise<void> {
  const { uid, gid } = fileOwner(place.account)
  const passwords = { supervisor: randomPassword(), owner: randomPassword() }
  const passwordFile = join(runDir, 'initdb-password')
  await mkdir(fresh, { mode: 0o700 })
  await chown(fresh, uid, gid)
  await writeFile(passwordFile, passwords.supervisor, { mode: 0o600 })
  await chown(passwordFile, uid, gid)
  const { status, output } = await runAs(
    place.account,
    join(place.binaries, 'bin/initdb'),
    [
      '--pgdata',
      fresh,
      '--username',
      SUPERVISOR_USER,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The operating system's locales may be missing and may change under an index; the builtin one does neither.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    place.home,
  )
  await rm(passwordFile, { force: true })
  if (status !== 0) throw startFailed('Making the database failed', output, place.home)
  await writeFile(join(fresh, 'pg_hba.conf'), HOST_BASED_ACCESS, { flush: durable })
  const file = join(fresh, PASSWORDS_FILE)
  await writeFile(file, JSON.stringify(passwords), { mode: 0o600, flush: durable })
  await chown(file, uid, gid)
}

/** @throws {StartFailed} when the file is missing or damaged */
export async function readPasswords(cluster: string): Promise<Passwords> {
  const file = join(cluster, PASSWORDS_FILE)
  try {
    return Passwords.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (cause) {
    throw new StartFailed(`The passwords of the embedded database (${file}) cannot be read.`, { cause })
  }
}

/** Hands the files to the account when another one ran the cluster before; the cluster must not be running. */
async function giveTo(place: Place): Promise<void> {
  const owner = fileOwner(place.account)
  const { uid } = await stat(place.cluster)
  if (uid === owner.uid) return
  if (process.getuid?.() !== 0) {
    throw new StartFailed(
      `The database in ${place.cluster} belongs to another account (uid ${uid}); start as that one.`,
    )
  }
  for (const entry of await readdir(place.cluster, { recursive: true })) {
    await lchown(join(place.cluster, entry), owner.uid, owner.gid)
  }
  // Last: until here a start that was cut off does it again.
  await lchown(place.cluster, owner.uid, owner.gid)
}

/** Unfinished clusters and copies of servers that have died. */
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

function randomPassword(): string {
  return randomBytes(24).toString('base64url')
}
