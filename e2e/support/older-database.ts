// A database as the previous version left it: its schema lacks the last migration; its rows are current ones, without
// the columns that it lacks.
import { Client } from 'pg'
import { MIGRATIONS_FOLDER, migrate, readMigrations } from '../../apps/server/src/db/migrate.ts'
import type { Postgres } from './postgres.ts'

/** The login that owns the product's database. */
export interface Owner {
  readonly login: string
  readonly password: string
}

/**
 * Reverts a database by one migration; requires that nobody is connected to it.
 * @returns the migration that it now lacks
 */
export async function setBack(postgres: Postgres, database: string, { login, password }: Owner): Promise<string> {
  const newer = `${database}_newer`
  postgres.sql(`alter database ${database} rename to ${newer}`)
  postgres.sql(`create database ${database} owner ${login}`)
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const missing = migrations.at(-1)
  await using owner = await connected(postgres.url(login, password, database))
  await migrate(owner.client, migrations.slice(0, -1))
  const superuser = (name: string) => connected(postgres.url('postgres', postgres.superuserPassword, name))
  await using from = await superuser(newer)
  await using to = await superuser(database)
  await copyRows(from.client, to.client)
  return missing?.name ?? ''
}

async function copyRows(from: Client, to: Client): Promise<void> {
  // No ordering or triggers needed: the rows are consistent.
  await to.query('set session_replication_role = replica')
  const { rows: tables } = await to.query<{ name: string; columns: string }>(
    `select table_name as name, string_agg(quote_ident(column_name), ', ') as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
       and table_name <> 'schema_migrations' group by table_name`,
  )
  for (const { name, columns } of tables) {
    const { rows } = await from.query<{ all: string }>(`select coalesce(json_agg(t), '[]')::text as all from ${name} t`)
    // Migrations have inserted their own rows there.
    await to.query(`delete from ${name}`)
    await to.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
      [rows[0]?.all],
    )
  }
}

async function connected(connectionString: string): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client({ connectionString })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}
