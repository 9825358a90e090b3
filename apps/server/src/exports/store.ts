// SQL of exports: rows of a namespace as JSON, and the one export that each may have at a time.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { NamespaceExportsTable } from '../db/tables/namespace-tables.ts'
import type { ExportedTable } from './tables.ts'

const ROWS_AT_ONCE = 200

/**
 * Rows of a table as JSON texts without line ends, in batches, however many there are.
 * @param db of the namespace, in a transaction; it has one cursor at a time
 * @param name one of tables.ts
 */
export async function* readRows(
  db: Kysely<Schema>,
  name: string,
  { columns, order, shown = {}, more = {}, where = sql`true` }: ExportedTable,
): AsyncGenerator<readonly string[]> {
  const refs = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(column)))
  const named = { ...Object.fromEntries(columns.map((column) => [column, shown[column] ?? sql.ref(column)])), ...more }
  const values = sql.join(Object.entries(named).map(([column, value]) => sql`${value} as ${sql.ref(column)}`))
  await sql`declare export_rows no scroll cursor for
    select row_to_json(exported)::text as line
      from (select ${values} from ${sql.table(name)} where ${where} order by ${refs(order)}) exported`.execute(db)
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(ROWS_AT_ONCE)} from export_rows`.execute(db)
    if (rows.length === 0) break
    yield rows.map(({ line }) => line)
  }
  await sql`close export_rows`.execute(db)
}

/**
 * Stores the link of a new export in place of an earlier one.
 * @param db system connection
 * @returns false while an export of the namespace is being written
 */
export async function storeLink(
  db: Kysely<Schema>,
  link: Insertable<NamespaceExportsTable>,
  now: Date,
): Promise<boolean> {
  const { user_id, link_hash, link_expires_at, token_epoch } = link
  const stored = await db
    .insertInto('namespace_exports')
    .values(link)
    .onConflict((conflict) =>
      conflict
        .column('tenant_id')
        .doUpdateSet({ user_id, link_hash, link_expires_at, token_epoch })
        .where('namespace_exports.busy_until', '<=', now),
    )
    .returning('tenant_id')
    .executeTakeFirst()
  return stored !== undefined
}

/** A namespace, and the owner who asked for its archive. */
export interface ExportSubject {
  readonly tenant_id: TenantId
  readonly user_id: UserId
  /** Epoch of the person's tokens when they asked. */
  readonly token_epoch: number
}

/** @returns undefined for a link that is not valid. @param db system connection */
export function findLink(db: Kysely<Schema>, hash: Buffer, now: Date): Promise<ExportSubject | undefined> {
  return db
    .selectFrom('namespace_exports')
    .select(['tenant_id', 'user_id', 'token_epoch'])
    .where('link_hash', '=', hash)
    .where('link_expires_at', '>', now)
    .executeTakeFirst()
}

/** Takes a link, which works once. @param db system connection */
export function takeLink(
  db: Kysely<Schema>,
  hash: Buffer,
  now: Date,
  busyUntil: Date,
): Promise<ExportSubject | undefined> {
  return db
    .updateTable('namespace_exports')
    .set({ link_hash: null, busy_until: busyUntil })
    .where('link_hash', '=', hash)
    .where('link_expires_at', '>', now)
    .returning(['tenant_id', 'user_id', 'token_epoch'])
    .executeTakeFirst()
}

/** Says until when an export is taken to be under way. @param db system connection */
export async function setBusy(db: Kysely<Schema>, tenant: TenantId, until: Date): Promise<void> {
  await db.updateTable('namespace_exports').set({ busy_until: until }).where('tenant_id', '=', tenant).execute()
}
