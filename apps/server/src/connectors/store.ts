// SQL of connectors.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { ConnectorsTable, Schema } from '../db/schema.ts'

export type ConnectorRow = Selectable<ConnectorsTable> & { readonly device_name: string | null }

/** The device of a connector, where it has one. */
const DEVICE_NAME = sql<string | null>`(select name from devices where devices.uid = connectors.device_uid)`

export async function listConnectors(
  db: Kysely<Schema>,
  query: { enable: boolean | undefined; limit: number; offset: number },
): Promise<{ rows: ConnectorRow[]; total: number }> {
  let base = db.selectFrom('connectors')
  if (query.enable !== undefined) base = base.where('enable', '=', query.enable)
  const rows = await base
    .selectAll()
    .select(DEVICE_NAME.as('device_name'))
    .orderBy('created_at')
    .orderBy('uid')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const count = await countRows(base)
  return { rows, total: count }
}

export function findConnector(db: Kysely<Schema>, uid: string): Promise<ConnectorRow | undefined> {
  return db
    .selectFrom('connectors')
    .selectAll()
    .select(DEVICE_NAME.as('device_name'))
    .where('uid', '=', uid)
    .executeTakeFirst()
}

export async function insertConnector(db: Kysely<Schema>, connector: Insertable<ConnectorsTable>): Promise<void> {
  await db.insertInto('connectors').values(connector).execute()
}

/** Number of connectors of a namespace; until the transaction ends, no other one counts them. */
export async function countForInsert(db: Kysely<Schema>, tenant: TenantId): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('connectors ' || ${tenant}, 0))`.execute(db)
  return countRows(db.selectFrom('connectors'))
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

/** A connector that is to be dialled; `version` changes with everything that a dialer depends on. */
export interface EnabledConnector {
  readonly uid: string
  readonly tenant: TenantId
  readonly version: string
  readonly device: DeviceUid | null
  /** Node that holds the link of that device; '' while none does. */
  readonly node: string
}

/** Enabled connectors of all namespaces that are not disabled. @param db system connection */
export function listEnabled(db: Kysely<Schema>): Promise<EnabledConnector[]> {
  return db
    .selectFrom('connectors')
    .select(['uid', 'tenant_id as tenant', 'device_uid as device'])
    .select(
      // A device that is accepted no more carries nothing.
      sql<string>`md5(concat_ws(' ', device_uid, (select status from devices where devices.uid = device_uid), address, port, secure, tls_ca, tls_cert, encode(tls_key, 'hex')))`.as(
        'version',
      ),
    )
    .select(
      sql<string>`coalesce((select link_node from devices where devices.uid = device_uid and disconnected_at is null), '')`.as(
        'node',
      ),
    )
    .where('enable', '=', true)
    .where((where) =>
      where.exists(
        where
          .selectFrom('namespaces')
          .select('namespaces.tenant_id')
          .whereRef('namespaces.tenant_id', '=', 'connectors.tenant_id')
          .where('namespaces.disabled_at', 'is', null),
      ),
    )
    .execute()
}

/** What a connector through a device depends on. @returns undefined when the namespace has no such device */
export function findCarrier(
  db: Kysely<Schema>,
  device: DeviceUid,
): Promise<{ status: string; remote_addr: string | null } | undefined> {
  return db.selectFrom('devices').select(['status', 'remote_addr']).where('uid', '=', device).executeTakeFirst()
}
