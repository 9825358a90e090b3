// Reads postmaster.pid of a running PostgreSQL and verifies it. The format is PostgreSQL's
// (src/include/utils/pidfile.h), unchanged since version 10. Invariant: a process counts as ours only if the kernel
// confirms it.
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isMissing } from './failure.ts'

export interface PidFile {
  readonly pid: number
  readonly port: number
  readonly socketDir: string
}

/** Parses the fields by line; an incomplete file has fewer. */
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

/** Reads the pid file of a cluster; undefined if it does not exist. */
export async function readPidFile(cluster: string): Promise<Partial<PidFile> | undefined> {
  try {
    return parsePidFile(await readFile(join(cluster, 'postmaster.pid'), 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Checks if `pid` is a PostgreSQL process of this cluster by its working folder, which they all share. Where the kernel
 * denies access to processes of another account (root in a container, without CAP_SYS_PTRACE), it falls back to the
 * arguments, which identify only the postmaster.
 */
export async function isPostgresOf(cluster: string, pid: number): Promise<boolean> {
  try {
    const [folder, home] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(cluster)])
    // Compares inodes: paths differ with links, bind mounts and mount namespaces.
    if (folder.dev !== home.dev || folder.ino !== home.ino) return false
    const program = await readlink(`/proc/${pid}/exe`)
    return basename(program.replace(/ \(deleted\)$/, '')) === 'postgres'
  } catch (error) {
    return isForbidden(error) && (await looksLikePostmasterOf(cluster, pid))
  }
}

/** A zombie has no arguments. The account is compared because anybody can choose a process's arguments. */
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

/** All recognisable PostgreSQL processes of a cluster: the postmaster and its children. */
export async function postgresProcessesOf(cluster: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const ours = await Promise.all(pids.map((pid) => isPostgresOf(cluster, pid)))
  return pids.filter((_, index) => ours[index])
}
