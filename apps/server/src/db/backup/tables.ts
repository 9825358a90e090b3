// The tables of a backup, and how they are opened for loading. Reads PostgreSQL's catalogue, so that a new table is in
// the backup without anybody thinking of it.
import type { Client } from 'pg'
import { quoteIdentifier } from '../owner-session.ts'

/** For sorting while an index is made. */
const INDEX_MEMORY = '128MB'

export interface TableColumns {
  readonly name: string
  /** In the order of the rows; generated columns are left out. */
  readonly columns: readonly string[]
}

/** All tables of the owner, without the record of migrations, which a restore makes itself. */
export async function dataTables(client: Client): Promise<TableColumns[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and pg_get_userbyid(c.relowner) = current_user
       and c.relname <> 'schema_migrations' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by 1 order by 1`,
  )
  return rows
}

/** `table (column, …)` for COPY. */
export function copyTarget({ name, columns }: TableColumns): string {
  return `${quoteIdentifier(name)} (${columns.map(quoteIdentifier).join(', ')})`
}

/**
 * Empties the tables and lets the owner load them in any order; call the answer when they are loaded. Foreign keys,
 * unique keys and indexes are made anew then, which also checks every row against them, in a fraction of the time that
 * keeping them up to date row by row takes. Everything happens in the caller's transaction, so nobody else ever sees a
 * table without its guards.
 */
export async function openForLoading(client: Client, tables: readonly TableColumns[]): Promise<() => Promise<void>> {
  const constraints = await keyConstraints(client)
  const indexes = await plainIndexes(client)
  const forced = await forcedTables(client)
  const triggered = await triggeredTables(client)
  for (const { table, name } of constraints) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  // Unforced, the owner's rows are not held against the policies, of which it has none.
  for (const table of forced) await client.query(`alter table ${table} no force row level security`)
  // What triggers wrote is in the backup.
  for (const table of triggered) await client.query(`alter table ${table} disable trigger user`)
  await client.query(`truncate ${tables.map(({ name }) => quoteIdentifier(name)).join(', ')}`)

  return async () => {
    await client.query(`set local maintenance_work_mem = '${INDEX_MEMORY}'`)
    for (const { table, name, definition } of constraints.toReversed()) {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`)
    }
    for (const { definition } of indexes) await client.query(definition)
    // Before the owner is blind again.
    await continueIdentities(client)
    for (const table of forced) await client.query(`alter table ${table} force row level security`)
    for (const table of triggered) await client.query(`alter table ${table} enable trigger user`)
    await client.query('analyze')
  }
}

/** Foreign keys first: they need the unique keys that they refer to. */
async function keyConstraints(client: Client): Promise<{ table: string; name: string; definition: string }[]> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype in ('f', 'u', 'p') and connamespace = 'public'::regnamespace
     order by contype = 'f' desc, oid`,
  )
  return rows
}

/** Indexes that are not the other side of a constraint. */
async function plainIndexes(client: Client): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index join pg_class c on c.oid = indrelid
     where c.relnamespace = 'public'::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)
     order by indexrelid`,
  )
  return rows
}

async function forcedTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select oid::regclass::text as table from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relforcerowsecurity`,
  )
  return rows.map(({ table }) => table)
}

async function triggeredTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select distinct tgrelid::regclass::text as table from pg_trigger join pg_class c on c.oid = tgrelid
     where c.relnamespace = 'public'::regnamespace and not tgisinternal`,
  )
  return rows.map(({ table }) => table)
}

/** Makes every identity column go on after the greatest value that was loaded. */
async function continueIdentities(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select attrelid::regclass::text as table, attname::text as column,
            pg_get_serial_sequence(attrelid::regclass::text, attname) as sequence
     from pg_attribute join pg_class c on c.oid = attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and attidentity <> ''`,
  )
  for (const { table, column, sequence } of rows) {
    await client.query(`select setval($1, (select max(${quoteIdentifier(column)}) from ${table}))`, [sequence])
  }
}
