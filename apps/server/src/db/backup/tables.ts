// Tables of a backup, and their preparation for loading. Read from PostgreSQL's catalogue, so that new tables are
// included automatically.
import type { Client } from 'pg'
import { quoteIdentifier } from '../owner-session.ts'

/** Memory for sorting while an index is built. */
const INDEX_MEMORY = '128MB'

export interface TableColumns {
  readonly name: string
  /** In the order of the rows, without generated columns. */
  readonly columns: readonly string[]
}

/** All tables of the owner except the migration history, which a restore writes itself. */
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
 * Empties the tables and lets the owner load them in any order. Foreign keys, unique keys and indexes are dropped and
 * rebuilt after loading, which also checks every row, in a fraction of the time of maintaining them row by row.
 * Everything happens in the caller's transaction, so nobody else sees a table without its constraints.
 * @returns function to call after loading
 */
export async function openForLoading(client: Client, tables: readonly TableColumns[]): Promise<() => Promise<void>> {
  const constraints = await keyConstraints(client)
  const indexes = await plainIndexes(client)
  const forced = await forcedTables(client)
  const triggered = await triggeredTables(client)
  for (const { table, name } of constraints) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  // Without FORCE the policies, none of which covers the owner, do not apply to it.
  for (const table of forced) await client.query(`alter table ${table} no force row level security`)
  // Rows written by triggers are in the backup.
  for (const table of triggered) await client.query(`alter table ${table} disable trigger user`)
  await client.query(`truncate ${tables.map(({ name }) => quoteIdentifier(name)).join(', ')}`)

  return async () => {
    await client.query(`set local maintenance_work_mem = '${INDEX_MEMORY}'`)
    for (const { table, name, definition } of constraints.toReversed()) {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`)
    }
    for (const { definition } of indexes) await client.query(definition)
    // Before row-level security hides the rows from the owner again.
    await continueIdentities(client)
    for (const table of forced) await client.query(`alter table ${table} force row level security`)
    for (const table of triggered) await client.query(`alter table ${table} enable trigger user`)
    await client.query('analyze')
  }
}

/** Foreign keys first: they depend on the unique keys they reference. */
async function keyConstraints(client: Client): Promise<{ table: string; name: string; definition: string }[]> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype in ('f', 'u', 'p') and connamespace = 'public'::regnamespace
     order by contype = 'f' desc, oid`,
  )
  return rows
}

/** Indexes that do not belong to a constraint. */
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

/** Sets every identity sequence to the greatest loaded value. */
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
