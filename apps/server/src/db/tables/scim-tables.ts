// Kysely types of the tables of provisioning by SCIM: a part of schema.ts, with its rules.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Generated, GeneratedAlways } from 'kysely'

/** Provisioning makes nobody an owner. */
export type ProvisionedRole = Exclude<Role, 'owner'>

export interface ScimSettingsTable {
  tenant_id: TenantId
  enabled: Generated<boolean>
  /** Invitations go out by mail. */
  mails: Generated<boolean>
  default_role: Generated<ProvisionedRole>
  /** Signing in by a provider of the server makes people members; else they accept an invitation. */
  joins_at_sign_in: Generated<boolean>
}

export interface ScimRolesTable {
  tenant_id: TenantId
  /** Lower-case. */
  group_key: string
  group_name: string
  role: ProvisionedRole
}

export interface ScimTokensTable {
  id: string
  tenant_id: TenantId
  name: string
  /** SHA-256, 32 bytes. */
  token_hash: Buffer
  created_by: UserId
  created_at: Date
  last_used_at: Date | null
}

export interface ScimPeopleTable {
  tenant_id: TenantId
  id: string
  user_name: string
  /** Lower-case. */
  user_name_key: string
  external_id: string | null
  /** Lower-case. */
  email: string
  display_name: Generated<string>
  given_name: Generated<string>
  family_name: Generated<string>
  /** The membership, accepted or pending; null while the person is not active. */
  user_id: UserId | null
  /** Account whose membership the provider has ended, and may restore. */
  former_user: UserId | null
  created_at: Date
  changed_at: Date
}

export interface ScimGroupsTable {
  tenant_id: TenantId
  id: string
  name: string
  /** Lower-case. */
  name_key: string
  external_id: string | null
  created_at: Date
  changed_at: Date
}

export interface ScimGroupPeopleTable {
  tenant_id: TenantId
  group_id: string
  person_id: string
}

export interface ScimRequestsTable {
  id: GeneratedAlways<number>
  tenant_id: TenantId
  at: Date
  token_name: string
  method: string
  path: string
  status: number
  detail: string
}

export interface ScimTables {
  scim_settings: ScimSettingsTable
  scim_roles: ScimRolesTable
  scim_tokens: ScimTokensTable
  scim_people: ScimPeopleTable
  scim_groups: ScimGroupsTable
  scim_group_people: ScimGroupPeopleTable
  scim_requests: ScimRequestsTable
}
