// Forward-only migrations: migrations/NNNN_name.sql, each in its own transaction. Invariants: a database has exactly the
// first n files, unchanged; two servers that start together run each file once. A server also runs on a database that a
// newer one has migrated, as long as no migration unknown to it takes away what it needs.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from 'pg'
import { DatabaseRefused } from './owner-session.ts'

/** Key of the advisory lock: "bowline" read as a base-36 number. Scoped to the database. */
const MIGRATION_LOCK = Number.parseInt('bowline', 36)
const LOCK_TIMEOUT = '2min'

export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number
  /** File name without number and extension. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file, hex. */
  readonly checksum: string
  /**
   * Servers that know fewer migrations than this cannot run on the database any more; 0: the migration only adds. From
   * the file's line `-- requires servers with migration NNNN`.
   */
  readonly requires: number
}

const REQUIRES = /^-- requires servers with migration (\d{4})$/m

/** Folder shipped with the server. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('./migrations/', import.meta.url))

/**
 * Reads the migrations of a folder.
 * @param folder holds `NNNN_name.sql` files, numbered from 0001 without gaps, and nothing else
 */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file)
      if (!match?.[2]) throw new Error(`${file} in ${folder} is not named NNNN_name.sql.`)
      if (Number(match[1]) !== index + 1) throw new Error(`Migration ${file} is out of order: expected ${index + 1}.`)
      const sql = await readFile(join(folder, file), 'utf8')
      return {
        version: index + 1,
        name: match[2],
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        requires: Number(REQUIRES.exec(sql)?.[1] ?? 0),
      }
    }),
  )
}

/** A migration applied to a database. */
export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum' | 'requires'>

/**
 * Migrates the database of `client`. Waits while another server migrates.
 * @param client a connection of the owner, outside a transaction
 * @returns the migrations applied now, and those of newer servers that this one does not know
 * @throws {DatabaseRefused} when a newer server has taken away what this one needs, or an applied migration has changed
 *   since
 */
export async function migrate(
  client: Client,
  migrations: readonly Migration[],
): Promise<{ readonly applied: Migration[]; readonly unknown: AppliedMigration[] }> {
  return whileLocked(client, async () => {
    await prepareHistory(client)
    const history = await readHistory(client)
    refuseForeign('The database', history.slice(0, migrations.length), migrations)
    const unknown = history.slice(migrations.length)
    refuseContracted(unknown, migrations)
    const missing = migrations.slice(history.length)
    for (const migration of missing) {
      await client.query('begin')
      try {
        await applyMigration(client, migration)
        await client.query('commit')
      } catch (cause) {
        await client.query('rollback')
        const name = `${migration.version} ${migration.name}`
        throw new Error(`Migration ${name} failed; the database is as it was before it.`, { cause })
      }
    }
    return { applied: missing, unknown }
  })
}

/** Runs `work` while no other server can migrate the database. */
export async function whileLocked<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'; set search_path = public`)
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
  try {
    return await work()
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
  }
}

/** Creates the table that records migrations. */
export async function prepareHistory(client: Client): Promise<void> {
  await client.query(
    `create table if not exists schema_migrations (
       version integer constraint migrations_run_once primary key,
       name text not null,
       checksum text not null,
       applied_at timestamptz(3) not null default now());
     alter table schema_migrations add column if not exists requires integer not null default 0`,
  )
}

/** Migrations applied to a database, in order. Until a server has prepared the history, all of them require nothing. */
export async function readHistory(client: Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    `select version, name, checksum, coalesce((to_jsonb(schema_migrations) ->> 'requires')::integer, 0) as requires
     from schema_migrations order by version`,
  )
  return rows
}

/** Runs and records one migration in the caller's transaction. */
export async function applyMigration(client: Client, migration: Migration): Promise<void> {
  const { version, name, sql, checksum, requires } = migration
  await client.query(sql)
  await client.query('insert into schema_migrations (version, name, checksum, requires) values ($1, $2, $3, $4)', [
    version,
    name,
    checksum,
    requires,
  ])
}

/**
 * Refuses a database from which a newer server has taken away what this one needs.
 * @param unknown migrations that this server does not know
 */
export function refuseContracted(unknown: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  const taking = unknown.find(({ requires }) => requires > migrations.length)
  if (taking) throw newer('The database', taking, migrations)
}

function newer(what: string, { version, name }: Pick<AppliedMigration, 'version' | 'name'>, known: readonly unknown[]) {
  return new DatabaseRefused(
    `${what} was made by a newer Bowline (migration ${version} ${name}; this one knows ${known.length}). ` +
      'Use that version.',
  )
}

/**
 * Refuses data created with migrations unknown here.
 * @param what origin of the migrations: `The database`, `The backup`
 */
export function refuseForeign(
  what: string,
  applied: readonly Pick<AppliedMigration, 'version' | 'name' | 'checksum'>[],
  migrations: readonly Migration[],
): void {
  for (const [index, { version, name, checksum }] of applied.entries()) {
    const known = migrations[index]
    if (!known) throw newer(what, { version, name }, migrations)
    if (known.version !== version || known.name !== name || known.checksum !== checksum) {
      throw new DatabaseRefused(
        `${what} had another migration ${version} (${name}) than this Bowline has (${known.name}). ` +
          'A migration is never changed after it was released; write a new one.',
      )
    }
  }
}
