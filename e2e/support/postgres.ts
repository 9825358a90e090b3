// Runs the operating system's PostgreSQL, as operators who bring their own do: a private cluster on a loopback port.
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

export interface Postgres {
  readonly port: number
  /** URL of a database for a login; with `at`, through a proxy on that port. */
  url(login: string, password: string, database: string, at?: number): string
  /** Runs SQL as the superuser. */
  sql(statements: string, database?: string): string
  readonly superuserPassword: string
  stop(): Promise<void>
}

export async function startPostgres(): Promise<Postgres> {
  const programs = postgresPrograms ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-postgres-'))
  // PostgreSQL refuses to run as root; Debian's package creates this user.
  const as = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  if (as.length) execFileSync('chown', ['postgres', folder])
  await chmod(folder, 0o755)
  const superuserPassword = 'super-secret-of-postgres'
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, superuserPassword, { mode: 0o644 })
  const data = join(folder, 'data')
  const execute = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string => {
    const [command = '', ...rest] = [...as, join(programs, program), ...args]
    return execFileSync(command, rest, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C', ...env },
    })
  }
  execute('initdb', [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    '-E',
    'UTF8',
    '--no-sync',
    `--pwfile=${passwordFile}`,
  ])
  const port = await freePort()
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`]
  const server = run([...as, join(programs, 'postgres'), '-D', data, ...settings.flatMap((one) => ['-c', one])], {
    cwd: folder,
  })
  const sql = (statements: string, database = 'postgres'): string =>
    execute(
      'psql',
      [
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-U',
        'postgres',
        '-At',
        '-v',
        'ON_ERROR_STOP=1',
        '-c',
        statements,
        database,
      ],
      {
        PGPASSWORD: superuserPassword,
      },
    ).trim()
  await until('PostgreSQL answers', () => {
    if (server.child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${server.output()}`)
    return server.output().includes('ready to accept connections')
  })
  return {
    port,
    url: (login, password, database, at = port) => `postgres://${login}:${password}@127.0.0.1:${at}/${database}`,
    sql,
    superuserPassword,
    async stop() {
      await server.end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
