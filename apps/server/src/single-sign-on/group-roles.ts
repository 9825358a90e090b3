// Roles that groups of providers give: the lists that administrators set, and what a person's groups come to.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { GroupRole } from '@bowline/contract/operations/single-sign-on'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { ProvisionedRole } from '../db/tables/scim-tables.ts'
import type { Schema } from '../db/schema.ts'
import type { GivenRoles } from '../members/provided.ts'
import { findTenant } from '../namespaces/service.ts'
import { type GroupRoleRow, listGroupRoles, replaceGroupRoles } from './group-roles-store.ts'

type Db = Kysely<Schema>

/** Highest first. */
const RANKS: readonly ProvisionedRole[] = ['administrator', 'operator', 'observer']

/** Lists of all providers. */
export interface RolesOfProviders {
  /** @param provider null: SAML */
  readonly of: (provider: string | null) => GroupRole[]
}

export async function rolesOfProviders(db: Db): Promise<RolesOfProviders> {
  const rows = await listGroupRoles(db)
  const shown = ({ group, namespace, role }: GroupRoleRow): GroupRole => ({ group, namespace, role })
  return { of: (provider) => rows.filter((row) => row.provider === provider).map((row) => shown(row)) }
}

/**
 * Replaces the list of a provider.
 * @param provider null: SAML
 * @throws {BowlineError} INVALID_INPUT for an unknown namespace, and a group that has two roles in one
 */
export async function setGroupRoles(db: Db, provider: string | null, roles: readonly GroupRole[]): Promise<void> {
  if (roles.length > LIMITS.groupRoles) refuse(`must be at most ${LIMITS.groupRoles}`)
  const tenants = new Map<string, TenantId>()
  for (const { namespace } of roles) {
    const tenant = tenants.get(namespace) ?? (await findTenant(db, namespace))
    tenants.set(namespace, tenant ?? refuse(`must name namespaces of this server, unlike ${namespace}`))
  }
  const rows = roles.map(({ group, namespace, role }) => ({
    provider_id: provider,
    group_name: group,
    tenant_id: tenants.get(namespace) ?? refuse('must name namespaces of this server'),
    role,
  }))
  const pairs = new Set(rows.map((row) => `${row.tenant_id} ${row.group_name}`))
  if (pairs.size < rows.length) refuse('must not name a group twice for one namespace')
  await replaceGroupRoles(db, provider, rows)
}

/** What the groups of a person give. @param provider null: SAML */
export async function rolesOfGroups(db: Db, provider: string | null, groups: readonly string[]): Promise<GivenRoles> {
  const roles = new Map<TenantId, ProvisionedRole>()
  for (const row of await listGroupRoles(db)) {
    if (row.provider !== provider || !groups.includes(row.group)) continue
    const best = roles.get(row.tenant)
    if (best === undefined || RANKS.indexOf(row.role) < RANKS.indexOf(best)) roles.set(row.tenant, row.role)
  }
  return { provider, roles }
}

function refuse(rule: string): never {
  return fail('INVALID_INPUT', { field: 'roles', rule }, ['roles'])
}
