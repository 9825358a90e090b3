// SQL of connectors.
import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { ConnectorsTable, Schema } from '../db/schema.ts'

export type ConnectorRow = Selectable<ConnectorsTable>

export async function listConnectors(
  db: Kysely<Schema>,
  query: { enable: boolean | undefined; limit: number; offset: number },
): Promise<{ rows: ConnectorRow[]; total: number }> {
  let base = db.selectFrom('connectors')
  if (query.enable !== undefined) base = base.where('enable', '=', query.enable)
  const rows = await base
    .selectAll()
    .orderBy('created_at')
    .orderBy('uid')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const count = await countRows(base)
  return { rows, total: count }
}

export function findConnector(db: Kysely<Schema>, uid: string): Promise<ConnectorRow | undefined> {
  return db.selectFrom('connectors').selectAll().where('uid', '=', uid).executeTakeFirst()
}

export async function insertConnector(db: Kysely<Schema>, connector: Insertable<ConnectorsTable>): Promise<void> {
  await db.insertInto('connectors').values(connector).execute()
}

export async function updateConnector(
  db: Kysely<Schema>,
  uid: string,
  values: Updateable<ConnectorsTable>,
): Promise<void> {
  await db.updateTable('connectors').set(values).where('uid', '=', uid).execute()
}

/** @returns false when no such connector exists */
export async function deleteConnector(db: Kysely<Schema>, uid: string): Promise<boolean> {
  const result = await db.deleteFrom('connectors').where('uid', '=', uid).executeTakeFirst()
  return result.numDeletedRows === 1n
}
