// Passwords of a cluster, stored next to it rather than in it, because the account that runs PostgreSQL needs none of
// them. Invariant: the file exists before the cluster does and never changes, so that servers that create one
// concurrently use the same passwords.
import { randomBytes } from 'node:crypto'
import { chown, link, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { isMissing, StartFailed } from './failure.ts'

const Passwords = z.object({ supervisor: z.string().min(1), owner: z.string().min(1) })
export type Passwords = z.infer<typeof Passwords>

/** File of earlier versions: inside the cluster, readable by the account that ran PostgreSQL. */
const EARLIER_FILE = 'bowline-passwords.json'

/** Password file: mode 0600, owned by the owner of the cluster's parent folder (root, for root's server). */
export function passwordsFile(cluster: string): string {
  return join(dirname(cluster), `${basename(cluster).replace(/-data$/, '')}-passwords.json`)
}

/** @throws {StartFailed} when the file is missing or damaged */
export async function readPasswords(cluster: string): Promise<Passwords> {
  const file = passwordsFile(cluster)
  try {
    return Passwords.parse(JSON.parse(await readCurrentOrEarlier(cluster)))
  } catch (cause) {
    throw new StartFailed(`The passwords of the embedded database (${file}) cannot be read.`, { cause })
  }
}

/**
 * Returns the passwords for a new cluster, reusing those of an interrupted attempt.
 * @param durable false omits the fsync call, for tests
 */
export async function ensurePasswords(cluster: string, durable: boolean): Promise<Passwords> {
  await publish(cluster, JSON.stringify({ supervisor: randomPassword(), owner: randomPassword() }), durable)
  return readPasswords(cluster)
}

/** Moves the passwords out of a cluster created by an earlier version. */
export async function moveEarlierPasswords(cluster: string): Promise<void> {
  const earlier = join(cluster, EARLIER_FILE)
  try {
    await publish(cluster, await readFile(earlier, 'utf8'), true)
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  await rm(earlier, { force: true })
}

/** Writes the file unless it exists: link never replaces a file, and the content is complete when it appears. */
async function publish(cluster: string, text: string, durable: boolean): Promise<void> {
  const file = passwordsFile(cluster)
  const fresh = `${file}.new-${process.pid}`
  const { uid, gid } = await stat(dirname(cluster))
  await rm(fresh, { force: true })
  try {
    await writeFile(fresh, text, { mode: 0o600, flag: 'wx', flush: durable })
    await chown(fresh, uid, gid)
    await link(fresh, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(fresh, { force: true })
  }
}

async function readCurrentOrEarlier(cluster: string): Promise<string> {
  try {
    return await readFile(passwordsFile(cluster), 'utf8')
  } catch (error) {
    if (!isMissing(error)) throw error
    return readFile(join(cluster, EARLIER_FILE), 'utf8')
  }
}

function randomPassword(): string {
  return randomBytes(24).toString('base64url')
}
