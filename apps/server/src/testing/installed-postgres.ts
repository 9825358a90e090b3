// A PostgreSQL of the operating system for the tests, as an operator may provide one: a cluster of its own, created and
// stopped with the run.
import { chown, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { type Account, fileOwner, runAs, spawnAs } from '../db/embedded/account.ts'
import { nobodyAccount } from '../db/embedded/own-account.ts'
import { PORT, makeRunDir } from '../db/embedded/run-dir.ts'
import type { OwnerConnection } from '../db/owner-session.ts'

const SUPERUSER = 'postgres'
const LOGIN = 'bowline'

/**
 * Creates and starts a cluster.
 * @param programs folder of `initdb` and `postgres`
 * @param cluster folder to create
 * @param settings settings of the server
 * @returns a login that may create databases and roles but is no superuser
 */
export async function startInstalledPostgres(
  programs: string,
  cluster: string,
  settings: Readonly<Record<string, string>>,
): Promise<OwnerConnection> {
  // PostgreSQL refuses to run as root.
  const account: Account = (process.getuid?.() === 0 ? await nobodyAccount() : undefined) ?? { kind: 'self' }
  const { uid, gid } = fileOwner(account)
  await mkdir(dirname(cluster), { recursive: true, mode: 0o711 })
  await mkdir(cluster, { mode: 0o700 })
  await chown(cluster, uid, gid)
  const runDir = await makeRunDir(account)
  const options = ['--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', `--username=${SUPERUSER}`]
  const made = await runAs(account, join(programs, 'initdb'), ['--pgdata', cluster, ...options], runDir)
  if (made.status !== 0) throw new Error(`initdb of ${programs} failed: ${made.output}`)
  const all = { ...settings, listen_addresses: '', port: String(PORT), unix_socket_directories: runDir }
  const args = ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const server = spawnAs(account, join(programs, 'postgres'), args, runDir, 'ignore')
  const address = { host: runDir, port: PORT }
  const client = await firstConnection({ ...address, user: SUPERUSER, database: 'postgres' }, () => server.exitCode)
  await client.query(`create role ${LOGIN} login createdb createrole`)
  await client.query(`create database ${LOGIN} owner ${LOGIN}`)
  await client.end()
  return { ...address, user: LOGIN, password: '', database: LOGIN }
}

async function firstConnection(
  address: { host: string; port: number; user: string; database: string },
  exitCode: () => number | null,
): Promise<Client> {
  for (;;) {
    const client = new Client(address)
    try {
      await client.connect()
      return client
    } catch (error) {
      if (exitCode() !== null) throw error
      await sleep(20)
    }
  }
}
