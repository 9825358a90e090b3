// A PostgreSQL of this machine with the tables of an old server, and real dumps of them. Nobody has documented those tables: these are
// made up, as the JSON of its API and usual names suggest them.
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { accessSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '@bowline/testkit/until'
import { Client } from 'pg'
import { type Account, fileOwner, runAs, spawnAs } from '../../../db/embedded/account.ts'
import { nobodyAccount } from '../../../db/embedded/own-account.ts'

const VERSIONS = '/usr/lib/postgresql'
const USER = 'postgres'

/** Folder of `postgres`, `initdb` and `pg_dump`; undefined where the operating system has none. */
export async function installedPrograms(): Promise<string | undefined> {
  const versions = await readdir(VERSIONS).catch(() => [])
  return versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((folder) => ['initdb', 'postgres', 'pg_dump'].every((name) => isThere(join(folder, name))))
}

function isThere(file: string): boolean {
  try {
    accessSync(file)
    return true
  } catch {
    return false
  }
}

export interface OldDatabase extends AsyncDisposable {
  readonly client: Client
  /** @param args of `pg_dump` */
  dump(file: string, ...args: string[]): Promise<void>
}

export async function startOldDatabase(programs: string): Promise<OldDatabase> {
  const account: Account = (process.getuid?.() === 0 ? await nobodyAccount() : undefined) ?? { kind: 'self' }
  const { uid, gid } = fileOwner(account)
  const folder = await mkdtemp(join(tmpdir(), 'bowline-old-'))
  const cluster = join(folder, 'data')
  await mkdir(cluster, { mode: 0o700 })
  for (const path of [folder, cluster]) await chown(path, uid, gid)
  const options = ['--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', `--username=${USER}`]
  const made = await runAs(account, join(programs, 'initdb'), ['--pgdata', cluster, ...options], folder)
  if (made.status !== 0) throw new Error(`initdb failed: ${made.output}`)
  const args = ['-D', cluster, '-F', '-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`]
  const server = spawnAs(account, join(programs, 'postgres'), args, folder, 'ignore')
  const client = await connected(folder, server)
  return {
    client,
    async dump(file, ...more) {
      const all = ['--host', folder, '--username', USER, '--file', file, ...more, 'postgres']
      await promisify(execFile)(join(programs, 'pg_dump'), all)
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      const exited = once(server, 'exit')
      server.kill('SIGINT')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}

async function connected(host: string, server: ChildProcess): Promise<Client> {
  let client: Client | undefined
  await until(async () => {
    if (server.exitCode !== null) throw new Error('PostgreSQL has ended')
    const one = new Client({ host, user: USER, database: 'postgres' })
    client = await one.connect().then(
      () => one,
      () => undefined,
    )
    return client !== undefined
  })
  return client ?? Promise.reject(new Error('PostgreSQL does not answer'))
}

/** Columns for everything, tags in tables of their own. */
export const PLAIN_TABLES = `
  create table users (id uuid primary key, created_at timestamptz default now(), status text not null, origin text,
    name text, username text unique, email text unique, recovery_email text, password_digest varchar(72),
    admin boolean not null default false, mfa_enabled boolean not null default false, max_namespaces int);
  create table namespaces (id uuid primary key, name text unique, owner_id uuid references users, type text,
    record_sessions boolean not null, connection_announcement text);
  create table memberships (namespace_id uuid references namespaces, user_id uuid references users, role text, status text);
  create table devices (id text primary key, namespace_id uuid references namespaces, name text, mac text, identifier text,
    pretty_name text, version text, arch text, platform text, public_key text, status text, last_seen timestamptz);
  create table public_keys (id uuid primary key, namespace_id uuid, name text, username text, fingerprint text, data bytea,
    filter_hostname text);
  create table firewall_rules (id uuid primary key, namespace_id uuid, action text, active boolean, priority int,
    source_ip text, username text, filter_hostname text);
  create table api_keys (key_digest text primary key, namespace_id uuid, name text, role text);
  create table tags (id uuid primary key, namespace_id uuid, name text);
  create table device_tags (device_id text, tag_id uuid);
  create table public_key_tags (public_key_id uuid, tag_id uuid);
  create table firewall_rule_tags (firewall_rule_id uuid, tag_id uuid);
  create table sessions (id text primary key, recording text);`

/** What an API of documents has, as JSON, with another word for much. */
export const JSON_TABLES = `
  create schema app;
  create table app."user" (id uuid primary key, state text, full_name text, login text, email text, password jsonb, mfa jsonb);
  create table app.namespaces (id uuid primary key, tenant_id uuid, name text, owner uuid, settings jsonb);
  create table app.members (tenant_id uuid, user_id uuid, role text);
  create table app.devices (uid text primary key, tenant_id uuid, name text, identity jsonb, info jsonb, public_key bytea,
    status text, tags text[], last_seen timestamp);
  create table app.public_keys (fingerprint text, tenant_id uuid, name text, username text, data text, filter jsonb);`
