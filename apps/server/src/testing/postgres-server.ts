// Global set-up of the server's tests: one PostgreSQL per run with one migrated template database, from which
// testing/database.ts clones. `TEST_POSTGRES`, the folder of another PostgreSQL's programs
// (`/usr/lib/postgresql/15/bin`), replaces the embedded one. Leftovers of a killed run are removed by the next.
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { silentLog } from '../platform/log.ts'
import { openDatabase } from '../db/database.ts'
import { SUPERVISOR_USER } from '../db/embedded/cluster.ts'
import { readPasswords } from '../db/embedded/passwords.ts'
import { findPackage } from '../db/embedded/package.ts'
import { findPostmaster, stopPostmaster } from '../db/embedded/postmaster.ts'
import { removeRunDir } from '../db/embedded/run-dir.ts'
import { startEmbeddedPostgres } from '../db/embedded/supervisor.ts'
import { asOwner, type OwnerConnection } from '../db/owner-session.ts'
import { startInstalledPostgres } from './installed-postgres.ts'
import { TEST_FOLDER_PARENTS, TEST_FOLDER_PREFIX, testFolderParent } from './data-folder.ts'

export interface TestServer {
  /** A login that may create databases. */
  readonly owner: OwnerConnection
  /** Migrated, without rows or connections. */
  readonly template: string
  /** Prefix of database names in this run. */
  readonly prefix: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestServer
  }
}

const DATABASE_PREFIX = 'bowline_test_'

/** Called by vitest once per run; the returned function is called at its end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await openServer(process.env['TEST_POSTGRES'])
  const prefix = `${DATABASE_PREFIX}${process.pid}_`
  const template = `${prefix}template`
  await removeDatabases(server.owner, (name) => name.startsWith(DATABASE_PREFIX) && ownerHasGone(name))
  await asOwner(server.owner, (client) => client.query(`create database ${template}`))
  const database = await openDatabase({ owner: onDatabase(server.owner, template), poolSize: 1, log: silentLog })
  await database.close()
  project.provide('testServer', { owner: server.owner, template, prefix })
  return async () => {
    await removeDatabases(server.owner, async (name) => name.startsWith(prefix))
    await server.close()
  }
}

/** The same server and login with another database. */
export function onDatabase(owner: OwnerConnection, database: string): OwnerConnection {
  if (typeof owner !== 'string') return { ...owner, database }
  const url = new URL(owner)
  url.pathname = `/${database}`
  return url.href
}

// Autovacuum would hold a database that a test wants to drop, and its owner may not end it.
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  autovacuum: 'off',
}

async function openServer(programs: string | undefined): Promise<{ owner: OwnerConnection; close(): Promise<void> }> {
  await removeAbandonedServers()
  const dataDir = await mkdtemp(join(await testFolderParent(), `${TEST_FOLDER_PREFIX}${process.pid}-`))
  const close = () => removeServer(dataDir)
  if (programs) {
    await chmod(dataDir, 0o711)
    const owner = await startInstalledPostgres(programs, join(dataDir, 'postgres', 'installed-data'), SETTINGS)
    return { owner, close }
  }
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, settings: SETTINGS })
  const cluster = join(dataDir, 'postgres', `${(await findPackage()).major}-data`)
  const { supervisor } = await readPasswords(cluster)
  const client = new Client({
    ...postgres.connection,
    user: SUPERVISOR_USER,
    password: supervisor,
    database: 'postgres',
  })
  await client.connect()
  await client.query(`alter role ${postgres.connection.user} createdb`)
  await client.end()
  return {
    owner: postgres.connection,
    async close() {
      await postgres.close()
      await close()
    },
  }
}

/** Stops and removes the servers of runs whose process has ended. */
async function removeAbandonedServers(): Promise<void> {
  const parents = await Promise.all(
    TEST_FOLDER_PARENTS.map(async (parent) => (await readdir(parent)).map((name) => join(parent, name))),
  )
  for (const folder of parents.flat()) {
    if (basename(folder).startsWith(TEST_FOLDER_PREFIX) && (await ownerHasGone(basename(folder)))) {
      await removeServer(folder)
    }
  }
}

/** Stops the server of a data folder and removes the folder. */
async function removeServer(dataDir: string): Promise<void> {
  const home = join(dataDir, 'postgres')
  const clusters = await readdir(home).catch(() => [])
  for (const cluster of clusters.filter((name) => name.endsWith('-data')).map((name) => join(home, name))) {
    const running = await findPostmaster(cluster)
    if (!running) continue
    await stopPostmaster(cluster, running.pid)
    await removeRunDir(running.socketDir)
  }
  await rm(dataDir, { recursive: true, force: true })
}

/** True if the run in a folder's or database's name has ended. */
async function ownerHasGone(name: string): Promise<boolean> {
  const pid = /\d+/.exec(name)?.[0]
  if (pid === undefined) return false
  try {
    await stat(`/proc/${pid}`)
    return false
  } catch {
    return true
  }
}

async function removeDatabases(
  owner: OwnerConnection,
  which: (name: string) => Promise<boolean> | false,
): Promise<void> {
  await asOwner(owner, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where not datistemplate')
    for (const { datname } of rows) {
      if (await which(datname)) await client.query(`drop database if exists "${datname}" with (force)`)
    }
  })
}
