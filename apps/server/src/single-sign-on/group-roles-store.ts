// SQL of the roles that groups of providers give. System connection.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { ProvisionedRole } from '../db/tables/scim-tables.ts'
import type { GroupRolesTable } from '../db/tables/single-sign-on-tables.ts'

export interface GroupRoleRow {
  readonly provider: string | null
  readonly group: string
  readonly tenant: TenantId
  readonly namespace: string
  readonly role: ProvisionedRole
}

/** Of all providers. */
export function listGroupRoles(db: Kysely<Schema>): Promise<GroupRoleRow[]> {
  return db
    .selectFrom('group_roles')
    .innerJoin('namespaces', 'namespaces.tenant_id', 'group_roles.tenant_id')
    .select([
      'group_roles.provider_id as provider',
      'group_roles.group_name as group',
      'group_roles.tenant_id as tenant',
      'namespaces.name as namespace',
      'group_roles.role',
    ])
    .orderBy('group_roles.group_name')
    .orderBy('namespaces.name')
    .execute()
}

/** @param provider null: SAML */
export async function replaceGroupRoles(
  db: Kysely<Schema>,
  provider: string | null,
  rows: readonly Insertable<GroupRolesTable>[],
): Promise<void> {
  await db.deleteFrom('group_roles').where('provider_id', 'is not distinct from', provider).execute()
  if (rows.length > 0) await db.insertInto('group_roles').values(rows).execute()
}
