// A single run of PostgreSQL: start, recognition of a running one, stop. Locks and restarts are in supervisor.ts.
import type { ChildProcess } from 'node:child_process'
import { open, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileOwner, spawnAs } from './account.ts'
import { isMissing } from './failure.ts'
import { isPostgresOf, type PidFile, postgresProcessesOf, readPidFile } from './pid-file.ts'
import type { Place } from './place.ts'
import { cleanRunDir, PORT, removeRunDir } from './run-dir.ts'

/**
 * Server settings. No network listener; statements and values are not logged (personal data), nor are errors caused by
 * clients, so that outsiders cannot make the log grow.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  // No replicas; saves write-ahead log and a process.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // SSH traffic runs on the same cores.
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
}

const MAX_LOG_BYTES = 8 * 1_048_576
const POLL_MS = 20
/** Time limit for orphaned children of a killed postmaster to exit. */
const ORPHAN_PATIENCE_MS = 10_000
const FAST_SHUTDOWN_PATIENCE_MS = 60_000
const IMMEDIATE_SHUTDOWN_PATIENCE_MS = 20_000

export function logFile(place: Place): string {
  return join(place.home, 'postgres.log')
}

/** Finds the running postmaster of a cluster; undefined without one. */
export async function findPostmaster(cluster: string): Promise<PidFile | undefined> {
  const { pid, port, socketDir } = (await readPidFile(cluster)) ?? {}
  if (pid === undefined || port === undefined || socketDir === undefined) return undefined
  return (await isPostgresOf(cluster, pid)) ? { pid, port, socketDir } : undefined
}

/**
 * Starts PostgreSQL without waiting until it is ready. Its output goes to {@link logFile}.
 * @param extraSettings overrides, for tests
 * @param ended called once, when it has exited or could not be started; possibly before this returns
 */
export async function launch(
  place: Place,
  runDir: string,
  extraSettings: Readonly<Record<string, string>>,
  ended: () => void,
): Promise<ChildProcess> {
  await clearTheWay(place, runDir)
  await cleanRunDir(runDir, place.account)
  const settings = { ...SETTINGS, ...extraSettings, unix_socket_directories: runDir }
  const args = ['-D', place.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const log = await openLog(place)
  try {
    const program = join(place.binaries, 'bin/postgres')
    const child = spawnAs(place.account, program, args, place.home, ['ignore', log.fd, log.fd])
    // Before the next await: a program that cannot run may have exited by then.
    for (const event of ['exit', 'error']) child.once(event, ended)
    return child
  } finally {
    await log.close()
  }
}

/**
 * Cleans up after a killed postmaster: children that still hold its memory (they exit on their own, or are killed), and
 * a pid file whose number another program has since got, which PostgreSQL would mistake for a postmaster.
 */
async function clearTheWay(place: Place, runDir: string): Promise<void> {
  const deadline = performance.now() + ORPHAN_PATIENCE_MS
  for (;;) {
    const processes = await postgresProcessesOf(place.cluster)
    if (processes.length === 0) break
    // Just started by another server: ours will find its pid file and exit.
    const { pid } = (await readPidFile(place.cluster)) ?? {}
    if (pid !== undefined && processes.includes(pid)) return
    if (performance.now() > deadline) for (const pid of processes) signal(pid, 'SIGKILL')
    await sleep(POLL_MS)
  }
  const stale = await readPidFile(place.cluster)
  if (stale?.socketDir && stale.socketDir !== runDir) await removeRunDir(stale.socketDir)
  // An unused number is left to PostgreSQL, which also checks if the old memory is still in use.
  if (stale?.pid && (await isTaken(stale.pid)) && !(await isPostgresOf(place.cluster, stale.pid))) {
    await unlink(join(place.cluster, 'postmaster.pid'))
  }
}

async function isTaken(pid: number): Promise<boolean> {
  try {
    await stat(`/proc/${pid}`)
    return true
  } catch {
    return false
  }
}

async function openLog(place: Place) {
  const file = logFile(place)
  try {
    if ((await stat(file)).size > MAX_LOG_BYTES) await rename(file, `${file}.1`)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const log = await open(file, 'a', 0o600)
  const { uid, gid } = fileOwner(place.account)
  await log.chown(uid, gid)
  return log
}

/**
 * Requests a fast shutdown (open transactions are rolled back) and waits for the exit.
 * @throws {Error} when it does not exit even after an immediate shutdown
 */
export async function stopPostmaster(cluster: string, pid: number): Promise<void> {
  signal(pid, 'SIGINT')
  if (await hasEnded(cluster, pid, FAST_SHUTDOWN_PATIENCE_MS)) return
  // Immediate shutdown: the next start replays the write-ahead log; nothing committed is lost.
  signal(pid, 'SIGQUIT')
  if (await hasEnded(cluster, pid, IMMEDIATE_SHUTDOWN_PATIENCE_MS)) return
  throw new Error(`PostgreSQL (process ${pid}) does not end.`)
}

async function hasEnded(cluster: string, pid: number, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  while (await isPostgresOf(cluster, pid)) {
    if (performance.now() > deadline) return false
    await sleep(POLL_MS)
  }
  return true
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has exited meanwhile.
  }
}
