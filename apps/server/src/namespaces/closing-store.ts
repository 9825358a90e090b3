// SQL of closed namespaces. System connection; in transactions that see them.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { ClosedNamespacesTable } from '../db/tables/namespace-tables.ts'

export interface ClosedRow extends ClosedNamespacesTable {
  readonly name: string
  readonly owner: UserId
}

export async function insertClosed(db: Kysely<Schema>, row: Insertable<ClosedNamespacesTable>): Promise<void> {
  await db.insertInto('closed_namespaces').values(row).execute()
}

export async function isClosedNow(db: Kysely<Schema>, tenant: TenantId): Promise<boolean> {
  const rows = db.selectFrom('closed_namespaces').select('tenant_id').where('tenant_id', '=', tenant)
  return (await rows.executeTakeFirst()) !== undefined
}

/** Closed namespaces with a name, an owner or an end of their time, oldest first. */
export function listClosedBy(
  db: Kysely<Schema>,
  { name, owner, dueBy }: { readonly name?: string; readonly owner?: UserId; readonly dueBy?: Date },
): Promise<ClosedRow[]> {
  return selectClosed(db)
    .$if(name !== undefined, (query) => query.where('namespaces.name', '=', name ?? ''))
    .$if(owner !== undefined, (query) => query.where('namespaces.owner', '=', owner ?? ('' as UserId)))
    .$if(dueBy !== undefined, (query) => query.where('closed_namespaces.due_at', '<=', dueBy ?? new Date(0)))
    .orderBy('closed_namespaces.closed_at')
    .orderBy('closed_namespaces.tenant_id')
    .execute()
}

/** Locks a closed namespace, so that it is either restored or removed, once. Waits for whoever does either. */
export function lockClosed(db: Kysely<Schema>, tenant: TenantId): Promise<ClosedRow | undefined> {
  return selectClosed(db)
    .where('closed_namespaces.tenant_id', '=', tenant)
    .forUpdate('closed_namespaces')
    .executeTakeFirst()
}

function selectClosed(db: Kysely<Schema>) {
  return db
    .selectFrom('closed_namespaces')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'closed_namespaces.tenant_id')
    .selectAll('closed_namespaces')
    .select(['namespaces.name', 'namespaces.owner'])
}

export async function deleteClosed(db: Kysely<Schema>, tenant: TenantId): Promise<void> {
  await db.deleteFrom('closed_namespaces').where('tenant_id', '=', tenant).execute()
}

/** Ids of all closed namespaces: few, as each stays for some days. Needs no transaction that sees them. */
export async function listClosedTenants(db: Kysely<Schema>): Promise<Set<TenantId>> {
  const rows = await db.selectFrom('closed_namespaces').select('tenant_id').execute()
  return new Set(rows.map(({ tenant_id: tenant }) => tenant))
}
