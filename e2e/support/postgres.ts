// Runs the operating system's PostgreSQL, as operators who bring their own do: a private cluster on a loopback port, and
// a streaming standby of one.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { run } from './running.ts'
import { until } from './wait.ts'

const INSTALLED = '/usr/lib/postgresql'
/** Program folder of the newest installed version; undefined when there is none. */
export const postgresPrograms = existsSync(INSTALLED)
  ? readdirSync(INSTALLED)
      .toSorted((a, b) => Number(a) - Number(b))
      .map((version) => join(INSTALLED, version, 'bin'))
      .findLast((folder) => existsSync(join(folder, 'initdb')))
  : undefined

const SUPERUSER_PASSWORD = 'super-secret-of-postgres'

export interface Postgres {
  readonly port: number
  /** URL of a database for a login; with `at`, through a proxy on that port. */
  url(login: string, password: string, database: string, at?: number): string
  /** Runs SQL as the superuser. */
  sql(statements: string, database?: string): string
  readonly superuserPassword: string
  /** Ends the postmaster by SIGKILL; resolves when its processes have noticed. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export function startPostgres(): Promise<Postgres> {
  return serve(async (data, execute, folder) => {
    const passwordFile = join(folder, 'password')
    await writeFile(passwordFile, SUPERUSER_PASSWORD, { mode: 0o644 })
    const login = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
    execute('initdb', ['-D', data, ...login, '-E', 'UTF8', '--no-sync'])
  })
}

/**
 * Starts a standby that streams from a primary, and makes the primary wait with each commit until it has applied it
 * (`synchronous_commit = remote_apply`). Ready when it is in step.
 */
export async function startStandby(primary: Postgres): Promise<Postgres> {
  const standby = await serve(async (data, execute) => {
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
    execute('pg_basebackup', [...from, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'])
  })
  primary.sql("alter system set synchronous_standby_names = '*'")
  primary.sql('alter system set synchronous_commit = remote_apply')
  primary.sql('select pg_reload_conf()')
  await until('the standby is in step', () =>
    primary.sql('select sync_state from pg_stat_replication').includes('sync'),
  )
  return standby
}

/** Makes a standby the primary, which takes writes when this returns. */
export function promote(standby: Postgres): void {
  standby.sql('select pg_promote(true, 60)')
}

type Execute = (program: string, args: readonly string[]) => string

/** @param fill makes the data folder */
async function serve(fill: (data: string, execute: Execute, folder: string) => Promise<void>): Promise<Postgres> {
  const programs = postgresPrograms ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-postgres-'))
  // PostgreSQL refuses to run as root; Debian's package creates this user.
  const as = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  if (as.length) execFileSync('chown', ['postgres', folder])
  await chmod(folder, 0o755)
  const data = join(folder, 'data')
  const execute: Execute = (program, args) => {
    const [command = '', ...rest] = [...as, join(programs, program), ...args]
    return execFileSync(command, rest, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C', PGPASSWORD: SUPERUSER_PASSWORD },
    })
  }
  await fill(data, execute, folder)
  const port = await freePort()
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`]
  const server = run([...as, join(programs, 'postgres'), '-D', data, ...settings.flatMap((one) => ['-c', one])], {
    cwd: folder,
  })
  await until('PostgreSQL answers', () => {
    if (server.child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${server.output()}`)
    return /ready to accept (read-only )?connections/.test(server.output())
  })
  return {
    port,
    url: (login, password, database, at = port) => `postgres://${login}:${password}@127.0.0.1:${at}/${database}`,
    sql(statements, database = 'postgres') {
      const where = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres']
      return execute('psql', [...where, '-At', '-v', 'ON_ERROR_STOP=1', '-c', statements, database]).trim()
    },
    superuserPassword: SUPERUSER_PASSWORD,
    async kill() {
      await server.end('SIGKILL')
    },
    async stop() {
      await server.end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
