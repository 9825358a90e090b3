// The embedded PostgreSQL: started, adopted after a crash of the server, restarted after a crash of its own, stopped.
// Invariant: at most one live server uses a data folder; it holds an advisory lock on a dedicated connection, and the
// loss of that connection signals that PostgreSQL has exited.
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backoff } from '@bowline/base/backoff'
import type { Log } from '../../platform/log.ts'
import { fileOwner } from './account.ts'
import { DATABASE, ensureCluster, OWNER_USER } from './cluster.ts'
import { AlreadyRunning } from './failure.ts'
import { type HeldPostmaster, type ServedCluster, takeHold } from './hold.ts'
import { findPackage } from './package.ts'
import { type Passwords, readPasswords } from './passwords.ts'
import { choosePlace, existingCluster } from './place.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'
import { makeRunDir, PORT, removeRunDir, removeAbandonedRunDirs, useRunDir } from './run-dir.ts'

export interface EmbeddedOptions {
  /** Folder of the server; the cluster is in its `postgres/`. */
  readonly dataDir: string
  readonly log: Log
  /** Aborts the start. */
  readonly signal?: AbortSignal
  /** Called when another server has taken over the database while PostgreSQL was down; this process must exit. */
  readonly lost?: (error: Error) => void
  /** Additional PostgreSQL settings, for tests: `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface EmbeddedPostgres {
  /** Address for the owner; constant across restarts. `host` is the folder of the socket. */
  readonly connection: {
    readonly host: string
    readonly port: number
    readonly user: string
    readonly password: string
    readonly database: string
  }
  /** Process id of the postmaster; changes with a restart. */
  readonly pid: number
  /** Fast shutdown; resolves when PostgreSQL has exited. */
  close(): Promise<void>
}

/** Uptime after which a crash resets the backoff. */
const STABLE_MS = 60_000
const RESTARTS = { baseMs: 100, capMs: 10_000, leastShare: 1 }

/**
 * Starts PostgreSQL for a data folder, or adopts one left running by a killed server.
 * @throws {AlreadyRunning} when another server uses the folder
 * @throws {StartFailed} when it cannot be started; the message names the cause
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, signal, settings = {} } = options
  const place = await choosePlace(dataDir, await findPackage(), log)
  log.info('database.starting', { account: place.account.kind, folder: place.cluster })
  await removeAbandonedRunDirs()
  const runDir = await makeRunDir(place.account)
  try {
    if (!(await findPostmaster(place.cluster))) await ensureCluster(place, settings['fsync'] !== 'off')
    const passwords = await readPasswords(place.cluster)
    const supervisor = new Supervisor(options, { place, passwords, settings })
    await supervisor.start(runDir, signal)
    if (supervisor.connection.host !== runDir) await removeRunDir(runDir)
    return supervisor
  } catch (error) {
    // Another server may have taken the lock of the PostgreSQL that this one has started, and then uses its folder.
    const running = await findPostmaster(place.cluster)
    if (running?.socketDir !== runDir) await removeRunDir(runDir)
    throw error
  }
}

/**
 * Owner's address of the PostgreSQL that a running server has on a data folder, for commands beside it.
 * @returns undefined when none runs
 */
export async function findRunningPostgres(dataDir: string): Promise<EmbeddedPostgres['connection'] | undefined> {
  const cluster = await existingCluster(dataDir, (await findPackage()).major)
  const running = cluster === undefined ? undefined : await findPostmaster(cluster)
  if (cluster === undefined || !running) return undefined
  return ownerConnection(running.socketDir, await readPasswords(cluster))
}

function ownerConnection(host: string, { owner }: Passwords): EmbeddedPostgres['connection'] {
  return { host, port: PORT, user: OWNER_USER, password: owner, database: DATABASE }
}

class Supervisor implements EmbeddedPostgres {
  readonly #options: EmbeddedOptions
  readonly #cluster: ServedCluster
  readonly #stop = new AbortController()
  #held: HeldPostmaster | undefined
  #connection: EmbeddedPostgres['connection'] | undefined
  #recovery: Promise<void> = Promise.resolve()
  readonly #backoff = new Backoff(RESTARTS)
  #upSince = 0

  constructor(options: EmbeddedOptions, cluster: ServedCluster) {
    this.#options = options
    this.#cluster = cluster
  }

  get connection(): EmbeddedPostgres['connection'] {
    if (!this.#connection) throw new Error('PostgreSQL has not been started.')
    return this.#connection
  }

  get pid(): number {
    return this.#held?.pid ?? 0
  }

  /** @param runDir folder of the socket if PostgreSQL is not running yet */
  async start(runDir: string, signal?: AbortSignal): Promise<void> {
    const stop = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
    let held = await takeHold(this.#cluster, runDir, stop)
    if (held.adopted && !(await this.#runsAsChosen(held.pid))) {
      await this.#shutDown(held)
      await ensureCluster(this.#cluster.place, true)
      held = await takeHold(this.#cluster, runDir, stop)
    }
    this.#connection = ownerConnection(held.socketDir, this.#cluster.passwords)
    if (held.adopted) await useRunDir(held.socketDir)
    this.#options.log.info(held.adopted ? 'database.adopted' : 'database.ready', { pid: held.pid })
    this.#watch(held)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#recovery
    const held = this.#held
    if (!held) return
    await this.#shutDown(held)
    this.#held = undefined
    this.#options.log.info('database.stopped', { pid: held.pid })
  }

  async #shutDown(held: HeldPostmaster): Promise<void> {
    // The lock is held until the shutdown: nobody may adopt a PostgreSQL that is shutting down.
    await stopPostmaster(this.#cluster.place.cluster, held.pid)
    await held.lock.end().catch(() => undefined)
    await removeRunDir(held.socketDir)
  }

  /** False for one that an earlier version started as nobody. */
  async #runsAsChosen(pid: number): Promise<boolean> {
    const { uid } = await stat(`/proc/${pid}`)
    return uid === fileOwner(this.#cluster.place.account).uid
  }

  #watch(held: HeldPostmaster): void {
    this.#held = held
    this.#upSince = performance.now()
    void held.lost.then(() => {
      if (!this.#stop.signal.aborted) this.#recovery = this.#recover(held.socketDir)
    })
  }

  #giveUp(error: Error): void {
    this.#held = undefined
    try {
      this.#options.lost?.(error)
    } catch (failure) {
      this.#options.log.error('database.error', { error: String(failure) })
    }
  }

  /** Retries until PostgreSQL is back, another server has it, or `close` is called. */
  async #recover(runDir: string): Promise<void> {
    const { log } = this.#options
    log.error('database.error', { error: 'PostgreSQL ended or closed our connection; restarting', pid: this.pid })
    if (performance.now() - this.#upSince > STABLE_MS) this.#backoff.reset()
    while (!this.#stop.signal.aborted) {
      try {
        await sleep(this.#backoff.next(), undefined, { signal: this.#stop.signal })
        const held = await takeHold(this.#cluster, runDir, this.#stop.signal)
        log.warn('database.restarted', { pid: held.pid })
        this.#watch(held)
        return
      } catch (error) {
        if (this.#stop.signal.aborted) return
        log.error('database.error', { error: String(error) })
        if (error instanceof AlreadyRunning) {
          this.#giveUp(error)
          return
        }
      }
    }
  }
}
