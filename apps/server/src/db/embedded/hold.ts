// Acquires a cluster's PostgreSQL: running or started, ready, and locked for this process. Invariant: a HeldPostmaster
// has a single holder for as long as its lock connection lives.
import { setTimeout as sleep } from 'node:timers/promises'
import { access } from 'node:fs/promises'
import { Client, DatabaseError } from 'pg'
import { DATABASE, OWNER_USER, SUPERVISOR_USER } from './cluster.ts'
import { AlreadyRunning, logTail, startFailed } from './failure.ts'
import type { Passwords } from './passwords.ts'
import type { Place } from './place.ts'
import { findPostmaster, launch, logFile, stopPostmaster } from './postmaster.ts'
import { PORT } from './run-dir.ts'

/** Data needed to start PostgreSQL and to log in to it. */
export interface ServedCluster {
  readonly place: Place
  readonly passwords: Passwords
  /** In addition to the settings of postmaster.ts. */
  readonly settings: Readonly<Record<string, string>>
}

export interface HeldPostmaster {
  readonly pid: number
  readonly socketDir: string
  /** Holds the advisory lock. */
  readonly lock: Client
  /** Resolves when the lock's connection has ended: PostgreSQL has exited or dropped all connections. */
  readonly lost: Promise<void>
  /** True if it was already running. */
  readonly adopted: boolean
}

/** Connection that takes the lock, monitored from the start. */
interface Lock {
  readonly client: Client
  readonly lost: Promise<void>
}

/** Key of the lock, in the database `postgres`: "bowline" read as a base-36 number. */
const SERVER_LOCK = Number.parseInt('bowline', 36)
const APPLICATION_NAME = /^bowline-server-(\d+)$/
const POLL_MS = 20
/** Time limit for the release of a lock whose holder was just killed. */
const DEAD_HOLDER_PATIENCE_MS = 5_000
/** Starts and stops of other servers on the same folder that one start tolerates. */
const ATTEMPTS = 40
const ATTEMPT_DELAY_MS = 250
/** Time limit for an unreachable socket of a running PostgreSQL. */
const SOCKET_PATIENCE_MS = 30_000

/** Log message of PostgreSQL while children of a killed postmaster are alive. */
const MEMORY_IN_USE = /shared memory block .* is still in use/

/** Errors of a PostgreSQL that is starting (57P03) or shutting down. */
const NOT_NOW = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03'])

/**
 * Starts the cluster's PostgreSQL or finds it running, waits until it answers, and takes the lock.
 * @param runDir folder of the socket if it is started
 * @throws {AlreadyRunning} when another live server has the lock
 * @throws {StartFailed} when it exits before it is ready
 */
export async function takeHold(cluster: ServedCluster, runDir: string, signal: AbortSignal): Promise<HeldPostmaster> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const held = (await adopt(cluster, signal)) ?? (await startAndHold(cluster, runDir, signal))
    if (held) return held
    if (attempt === ATTEMPTS) {
      const { place } = cluster
      throw startFailed(
        'The embedded PostgreSQL ended while it was starting',
        await logTail(logFile(place)),
        place.home,
      )
    }
    await sleep(ATTEMPT_DELAY_MS, undefined, { signal })
  }
}

/** @returns undefined when none runs, or it has exited meanwhile */
async function adopt(cluster: ServedCluster, signal: AbortSignal): Promise<HeldPostmaster | undefined> {
  const running = await findPostmaster(cluster.place.cluster)
  if (!running) return undefined
  const lock = await connect(cluster, running.socketDir, signal, async () => {
    return (await findPostmaster(cluster.place.cluster))?.pid === running.pid
  })
  return lock && hold(cluster, lock, running, true)
}

/** @returns undefined when another server was faster, or processes of a killed one are still alive */
async function startAndHold(
  cluster: ServedCluster,
  runDir: string,
  signal: AbortSignal,
): Promise<HeldPostmaster | undefined> {
  const { place } = cluster
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let living = true
  const child = await launch(place, runDir, cluster.settings, () => {
    living = false
    end()
  })
  child.unref()
  try {
    const lock = await connect(cluster, runDir, signal, async () => living)
    if (lock && child.pid) return await hold(cluster, lock, { pid: child.pid, socketDir: runDir }, false)
  } catch (error) {
    if (living && child.pid && !(error instanceof AlreadyRunning)) {
      await stopPostmaster(place.cluster, child.pid)
      await ended
    }
    throw error
  }
  if (await findPostmaster(place.cluster)) return undefined
  const said = await logTail(logFile(place))
  if (MEMORY_IN_USE.test(said)) return undefined
  throw startFailed('The embedded PostgreSQL could not start', said, place.home)
}

/**
 * Connects as the supervisor as soon as PostgreSQL answers; crash recovery may take minutes.
 * @returns undefined once `living` resolves to false
 */
async function connect(
  cluster: ServedCluster,
  host: string,
  signal: AbortSignal,
  living: () => Promise<boolean>,
): Promise<Lock | undefined> {
  const deadline = performance.now() + SOCKET_PATIENCE_MS
  for (;;) {
    signal.throwIfAborted()
    const client = new Client({
      host,
      port: PORT,
      user: SUPERVISOR_USER,
      password: cluster.passwords.supervisor,
      database: 'postgres',
      application_name: `bowline-server-${process.pid}`,
    })
    client.on('error', () => undefined)
    const { promise: lost, resolve } = Promise.withResolvers<void>()
    client.once('end', resolve)
    try {
      await client.connect()
      return { client, lost }
    } catch (error) {
      if (!isNotNow(error)) throw error
      if (!(error instanceof DatabaseError) && performance.now() > deadline) {
        throw startFailed(
          `A PostgreSQL runs on ${cluster.place.cluster}, but its socket in ${host} cannot be reached`,
          String(error),
          cluster.place.home,
        )
      }
    }
    if (!(await living())) return undefined
    await sleep(POLL_MS, undefined, { signal })
  }
}

async function hold(
  cluster: ServedCluster,
  { client, lost }: Lock,
  postmaster: { pid: number; socketDir: string },
  adopted: boolean,
): Promise<HeldPostmaster | undefined> {
  try {
    await takeLock(client, cluster.place)
    await ensureOwner(client, cluster.passwords.owner)
    return { ...postmaster, lock: client, lost, adopted }
  } catch (error) {
    await client.end().catch(() => undefined)
    // It was shutting down: its server is stopping too.
    if (isNotNow(error)) return undefined
    throw error
  }
}

async function takeLock(client: Client, place: Place): Promise<void> {
  const deadline = performance.now() + DEAD_HOLDER_PATIENCE_MS
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [SERVER_LOCK])
    if (rows[0]?.locked) return
    const holder = await lockHolder(client)
    if ((holder !== undefined && (await isLiving(holder))) || performance.now() > deadline) {
      throw new AlreadyRunning(
        `Another Bowline server (process ${holder ?? 'unknown'}) uses the database in ${place.home}. ` +
          'Stop it, or give this one a BOWLINE_DATA_DIR of its own.',
        holder,
      )
    }
    await sleep(POLL_MS)
  }
}

/** Process id of the lock's holder, from the application name of its connection. */
async function lockHolder(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `select a.application_name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1
       and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32 | l.objid::bigint) = $1`,
    [SERVER_LOCK],
  )
  const pid = APPLICATION_NAME.exec(rows[0]?.application_name ?? '')?.[1]
  return pid === undefined ? undefined : Number(pid)
}

async function isLiving(pid: number): Promise<boolean> {
  try {
    await access(`/proc/${pid}`)
    return true
  } catch {
    return false
  }
}

/** Creates role and database of the server. Runs at every start, so that an interrupted first start is completed. */
async function ensureOwner(client: Client, password: string): Promise<void> {
  const role = await client.query('select 1 from pg_roles where rolname = $1', [OWNER_USER])
  if (role.rowCount === 0) {
    await client.query(`create role ${OWNER_USER} login createrole password ${client.escapeLiteral(password)}`)
  }
  const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
  if (database.rowCount === 0) await client.query(`create database ${DATABASE} owner ${OWNER_USER}`)
}

function isNotNow(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string') return NOT_NOW.has(error.code)
  return error.message.startsWith('Connection terminated')
}
