// SQL of the limits of namespaces. The database keeps them: see enforce_namespace_limit in the migrations.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { LimitName } from '../db/tables/namespace-tables.ts'

export interface LimitRow {
  readonly name: LimitName
  /** −1: unlimited. */
  readonly value: number
}

export function listDefaultLimits(db: Kysely<Schema>): Promise<LimitRow[]> {
  return db.selectFrom('limit_defaults').select(['name', 'value']).execute()
}

/** Limits of the namespace's own. System connection. */
export function listLimits(db: Kysely<Schema>, tenant: TenantId): Promise<LimitRow[]> {
  return db.selectFrom('namespace_limits').select(['name', 'value']).where('tenant_id', '=', tenant).execute()
}

export async function saveDefaultLimit(db: Kysely<Schema>, row: LimitRow): Promise<void> {
  await db
    .insertInto('limit_defaults')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value }))
    .execute()
}

/** @param value null: the namespace has no limit of its own any more */
export async function saveLimit(
  db: Kysely<Schema>,
  tenant: TenantId,
  name: LimitName,
  value: number | null,
): Promise<void> {
  if (value === null) {
    await db.deleteFrom('namespace_limits').where('tenant_id', '=', tenant).where('name', '=', name).execute()
    return
  }
  await db
    .insertInto('namespace_limits')
    .values({ tenant_id: tenant, name, value })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doUpdateSet({ value }))
    .execute()
}
