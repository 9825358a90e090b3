import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { type Log, silentLog } from '../../platform/log.ts'
import { openDatabase } from '../database.ts'
import { SUPERVISOR_USER } from './cluster.ts'
import { passwordsFile, readPasswords } from './passwords.ts'
import { findPackage } from './package.ts'
import { findPostmaster } from './postmaster.ts'
import { isPostgresOf } from './pid-file.ts'
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from './supervisor.ts'
import { until } from '@bowline/testkit/until'
import { clusterOf, ended, query, served, settings, testFolders } from './testing.ts'

const { madeFolder, newFolder, otherServer } = testFolders()
const nothing = async () => undefined

describe('start of the embedded PostgreSQL', () => {
  it('creates a cluster with an unprivileged owner, keeps its data and leaves no process or socket folder', async () => {
    const dataDir = await newFolder()
    const first = await served(dataDir, async (postgres) => {
      const role = await query(
        postgres,
        'select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user',
      )
      expect(role).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: true, rolcreatedb: false }])
      const server = await query(
        postgres,
        `select current_setting('listen_addresses') as listen, datlocprovider as provider, datlocale as locale,
                pg_encoding_to_char(encoding) as encoding, pg_get_userbyid(datdba) as owner
         from pg_database where datname = current_database()`,
      )
      expect(server).toEqual([{ listen: '', provider: 'b', locale: 'C.UTF-8', encoding: 'UTF8', owner: 'bowline' }])
      await query(postgres, 'create table kept as select 42 as answer')
      return { pid: postgres.pid, runDir: postgres.connection.host }
    })
    expect(await isPostgresOf(await clusterOf(dataDir), first.pid)).toBe(false)
    await expect(stat(first.runDir)).rejects.toThrow('ENOENT')
    await served(dataDir, async (postgres) => {
      expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }])
    })
  })

  it('requires the password and keeps it out of the log and readable files', async () => {
    const dataDir = await madeFolder()
    await served(dataDir, async ({ connection }) => {
      for (const user of [connection.user, SUPERVISOR_USER]) {
        const client = new Client({ ...connection, user, password: 'guess' })
        await expect(client.connect()).rejects.toThrow(/password authentication failed/)
      }
      const cluster = await clusterOf(dataDir)
      expect((await stat(passwordsFile(cluster))).mode & 0o777).toBe(0o600)
      expect((await stat(cluster)).mode & 0o777).toBe(0o700)
      expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
      const log = join(dataDir, 'postgres/postgres.log')
      expect((await stat(log)).mode & 0o777).toBe(0o600)
      expect(await readFile(log, 'utf8')).not.toContain(connection.password)
    })
  })

  it('starts below a private folder and in a path longer than 120 characters', async () => {
    const dataDir = join(await newFolder(0o700), 'x'.repeat(120), 'data')
    await served(dataDir, async (postgres) => {
      expect(postgres.connection.host.length).toBeLessThan(60)
      expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
    })
  })

  it('creates one cluster and one server when two start concurrently on a new folder', async () => {
    const dataDir = await newFolder()
    const both = await Promise.all([otherServer(dataDir), otherServer(dataDir)])
    const winner = both.find(({ report }) => report.ready)
    const others = both.filter((one) => one !== winner).map(({ report }) => report)
    expect(others).toMatchObject([{ ready: false, holderPid: winner?.child.pid }])
    winner?.child.kill('SIGTERM')
    await Promise.all(both.map(({ child }) => ended(child)))
    const left = await readdir(join(dataDir, 'postgres'))
    expect(left.filter((name) => name.includes('.new-'))).toEqual([])
  })

  it('removes leftovers of an interrupted first start', async () => {
    const dataDir = await newFolder()
    const left = `${await clusterOf(dataDir)}.new-4194305`
    await mkdir(join(left, 'base'), { recursive: true })
    await served(dataDir, nothing)
    await expect(stat(left)).rejects.toThrow('ENOENT')
  })

  it('ignores a stale pid file whose number belongs to another program', async () => {
    const dataDir = await madeFolder()
    const cluster = await clusterOf(dataDir)
    const stale = `${process.pid}\n${cluster}\n1700000000\n5432\n/tmp/bowline-pg-gone\n\n`
    await writeFile(join(cluster, 'postmaster.pid'), stale)
    await served(dataDir, async (postgres) => {
      expect(postgres.pid).not.toBe(process.pid)
      expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
    })
  })

  it('reports PostgreSQL’s error when it cannot start', async () => {
    const dataDir = await madeFolder()
    await rm(join(await clusterOf(dataDir), 'global/pg_control'))
    await expect(served(dataDir, nothing)).rejects.toThrow(/could not start:[^]*pg_control/)
  })

  it('refuses a folder with a database of another major version', async () => {
    const dataDir = await newFolder()
    await mkdir(join(dataDir, 'postgres/17-data'), { recursive: true })
    await expect(served(dataDir, nothing)).rejects.toThrow(/17-data was made by another major version/)
  })

  it('aborts a start and leaves no PostgreSQL running', async () => {
    const dataDir = await madeFolder()
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(startEmbeddedPostgres({ dataDir, log: silentLog, settings, signal })).rejects.toThrow('enough')
    expect(await findPostmaster(await clusterOf(dataDir))).toBeUndefined()
  })
})

describe('second server on the same data', () => {
  it('refuses a second server with the process id of the first, which keeps working', async () => {
    const dataDir = await madeFolder()
    await served(dataDir, async (postgres) => {
      const { child, report } = await otherServer(dataDir)
      await ended(child)
      expect(report.error).toContain(`Another Bowline server (process ${process.pid}) uses the database in`)
      expect(report.holderPid).toBe(process.pid)
      expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
    })
  })

  it('adopts PostgreSQL after the first server was killed', async () => {
    const dataDir = await madeFolder()
    const { child, report } = await otherServer(dataDir)
    child.kill('SIGKILL')
    await ended(child)
    await served(dataDir, async (postgres) => {
      expect(postgres.pid).toBe(report.pid)
      expect(postgres.connection.host).toBe(report.host)
      expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
    })
    expect(await findPostmaster(await clusterOf(dataDir))).toBeUndefined()
  })

  it('restarts PostgreSQL after both were killed', async () => {
    const dataDir = await madeFolder()
    const { child, report } = await otherServer(dataDir)
    child.kill('SIGKILL')
    process.kill(report.pid ?? 0, 'SIGKILL')
    await ended(child)
    await served(dataDir, async (postgres) => {
      expect(postgres.pid).not.toBe(report.pid)
      expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
    })
    await expect(stat(report.host ?? '')).rejects.toThrow('ENOENT')
  })
})

describe('command beside the server', () => {
  it('finds the database of a running server only', async () => {
    const dataDir = await newFolder()
    expect(await findRunningPostgres(dataDir)).toBeUndefined()
    await served(dataDir, async (postgres) => {
      expect(await findRunningPostgres(dataDir)).toEqual(postgres.connection)
    })
    expect(await findRunningPostgres(dataDir)).toBeUndefined()
  })
})

describe('crash of PostgreSQL', () => {
  it('restarts a crashed PostgreSQL at the same address for open pools', async () => {
    const dataDir = await madeFolder()
    await served(dataDir, async (postgres) => {
      const database = await openDatabase({ owner: postgres.connection, poolSize: 2, log: silentLog })
      const { pid, connection } = postgres
      process.kill(pid, 'SIGKILL')
      await until(async () => postgres.pid !== pid)
      await database.ping()
      expect(postgres.connection).toEqual(connection)
      await database.close()
    })
  })

  it('retries the restart until it succeeds, even if the program exits at once', async () => {
    const dataDir = await madeFolder()
    const program = join(dirname(await clusterOf(dataDir)), `${(await findPackage()).major}/bin/postgres`)
    const { promise: failedOften, resolve } = Promise.withResolvers<void>()
    let failures = 0
    const error = () => {
      failures += 1
      if (failures === 4) resolve()
    }
    const work = async (postgres: EmbeddedPostgres) => {
      const { pid } = postgres
      await rename(program, `${program}.away`)
      process.kill(pid, 'SIGKILL')
      await failedOften
      await rename(`${program}.away`, program)
      await until(async () => postgres.pid !== pid)
      expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
    }
    await served(dataDir, work, { ...silentLog, error })
  })

  it('retakes the lock after the crash of a child process, so that a second server is still refused', async () => {
    const dataDir = await madeFolder()
    const { promise: back, resolve } = Promise.withResolvers<void>()
    const log: Log = { ...silentLog, warn: (ev) => ev === 'database.restarted' && resolve() }
    const work = async (postgres: { pid: number; connection: object }) => {
      const { pid } = postgres
      const client = new Client(postgres.connection)
      client.on('error', () => undefined)
      await client.connect()
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
      await back
      expect(postgres.pid).toBe(pid)
      const { child, report } = await otherServer(dataDir)
      await ended(child)
      expect(report.holderPid).toBe(process.pid)
    }
    await served(dataDir, work, log)
  })

  it('reports a takeover by another server and leaves PostgreSQL to it', async () => {
    const dataDir = await madeFolder()
    const cluster = await clusterOf(dataDir)
    const { promise: lost, resolve } = Promise.withResolvers<Error>()
    const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, settings, lost: resolve })
    const { supervisor } = await readPasswords(cluster)
    // Acts as another server: terminates our lock's connection and takes the lock first.
    const other = new Client({
      ...postgres.connection,
      user: SUPERVISOR_USER,
      password: supervisor,
      database: 'postgres',
      application_name: 'bowline-server-1',
    })
    await other.connect()
    const { rows } = await other.query<{ key: string }>(
      `select (classid::bigint << 32 | objid::bigint) as key, pg_terminate_backend(pid)
       from pg_locks where locktype = 'advisory'`,
    )
    await other.query('select pg_advisory_lock($1)', [rows[0]?.key])
    expect(String(await lost)).toContain('process 1')
    await postgres.close()
    expect(await findPostmaster(cluster)).toBeDefined()
    await other.end()
    await served(dataDir, nothing)
  })
})
