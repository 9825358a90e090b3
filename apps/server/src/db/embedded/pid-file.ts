// postmaster.pid: what a running PostgreSQL says of itself, and whether it is to be believed. The format is PostgreSQL's
// (src/include/utils/pidfile.h), the same since version 10. Invariant: a process is ours only when the kernel says so.
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isMissing } from './failure.ts'

export interface PidFile {
  readonly pid: number
  readonly port: number
  readonly socketDir: string
}

/** Fields by line; a file that is being written has fewer. */
export function parsePidFile(text: string): Partial<PidFile> {
  const lines = text.split('\n')
  const pid = wholeNumber(lines[0])
  const port = wholeNumber(lines[3])
  const socketDir = lines[4]?.trim()
  return { ...(pid && { pid }), ...(port && { port }), ...(socketDir && { socketDir }) }
}

function wholeNumber(text: string | undefined): number | undefined {
  const value = text !== undefined && /^\s*\d{1,10}\s*$/.test(text) ? Number(text) : 0
  return value > 0 ? value : undefined
}

/** The pid file of a cluster; undefined when there is none. */
export async function readPidFile(cluster: string): Promise<Partial<PidFile> | undefined> {
  try {
    return parsePidFile(await readFile(join(cluster, 'postmaster.pid'), 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Whether `pid` is a PostgreSQL process of this cluster: they all work in the cluster's folder. Where the kernel does not
 * let us look at processes of another account (root in a container, without CAP_SYS_PTRACE), the arguments tell it, and
 * only the postmaster is recognised.
 */
export async function isPostgresOf(cluster: string, pid: number): Promise<boolean> {
  try {
    const [folder, home] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(cluster)])
    // Not the paths: they differ with links, bind mounts and mount namespaces.
    if (folder.dev !== home.dev || folder.ino !== home.ino) return false
    const program = await readlink(`/proc/${pid}/exe`)
    return basename(program.replace(/ \(deleted\)$/, '')) === 'postgres'
  } catch (error) {
    return isForbidden(error) && (await looksLikePostmasterOf(cluster, pid))
  }
}

/** A zombie has no arguments. The account is compared because everybody may call a process what they like. */
async function looksLikePostmasterOf(cluster: string, pid: number): Promise<boolean> {
  try {
    const [account, home] = await Promise.all([stat(`/proc/${pid}`), stat(cluster)])
    const [program, ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    const folder = args[args.indexOf('-D') + 1]
    return account.uid === home.uid && basename(program ?? '') === 'postgres' && folder === cluster
  } catch {
    return false
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EACCES'
}

/** All PostgreSQL processes of a cluster that can be recognised: the postmaster and its children. */
export async function postgresProcessesOf(cluster: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const ours = await Promise.all(pids.map((pid) => isPostgresOf(cluster, pid)))
  return pids.filter((_, index) => ours[index])
}
