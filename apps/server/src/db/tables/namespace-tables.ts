// Kysely types of the tables of namespaces and their members: a part of schema.ts, with its rules.
import type { Role } from '@bowline/contract/roles'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface NamespacesTable {
  tenant_id: TenantId
  name: string
  owner: UserId
  type: Generated<'personal' | 'team'>
  session_record: Generated<boolean>
  connection_announcement: Generated<string>
  /** −1: unlimited. */
  max_devices: Generated<number>
  created_at: Generated<Date>
  /** Settings without their own column. */
  settings: Generated<{ readonly [key: string]: unknown }>
  /** Set while a cloud namespace is a customer of the payment provider. */
  billing: { readonly [key: string]: unknown } | null
  /** Null unless administrators of the instance have disabled it. */
  disabled_at: Date | null
}

export type LimitName = 'devices' | 'members' | 'sessions' | 'tunnels' | 'api_keys'

/** Limits of namespaces without one of their own. */
export interface LimitDefaultsTable {
  name: LimitName
  /** −1: unlimited. */
  value: number
}

export interface NamespaceLimitsTable {
  tenant_id: TenantId
  name: LimitName
  /** −1: unlimited. */
  value: number
}

export interface MembersTable {
  tenant_id: TenantId
  user_id: UserId
  role: Role
  status: 'accepted' | 'pending'
  added_at: Generated<Date>
  expires_at: Date | null
  /** SHA-256 of the signature in the invitation link, 32 bytes. */
  invite_hash: Buffer | null
  /** Address that the invitation went to. */
  invite_email: string | null
  /** Null for the operator of the server, and when the account is gone. */
  inviter: UserId | null
  invited_by_operator: Generated<boolean>
  /** The secret went to the address and to nobody else. */
  invite_mailed: Generated<boolean>
  /** Links made for the invitation that is pending. */
  invite_sends: Generated<number>
}

/** Deleted namespaces that can still be restored. */
export interface ClosedNamespacesTable {
  tenant_id: TenantId
  closed_at: Date
  /** From then on it is removed for good. */
  due_at: Date
}

/** Names that namespaces have had lately, which no other one can take. */
export interface FormerNamespaceNamesTable {
  name: string
  namespace: TenantId
  kept_until: Date
}

/** The export of a namespace, if one was asked for. */
export interface NamespaceExportsTable {
  tenant_id: TenantId
  user_id: UserId
  /** SHA-256, 32 bytes; null once the link has been used. */
  link_hash: Buffer | null
  link_expires_at: Date
  /** An answer is being written until then. */
  busy_until: Generated<Date>
  /** Epoch of the person's tokens when they asked. */
  token_epoch: Generated<number>
}

/** People who have left a namespace by themselves, and have accepted no invitation to it since. */
export interface LeftMembersTable {
  tenant_id: TenantId
  user_id: UserId
}

/** Memberships that the groups of a sign-in provider have made. */
export interface ProvidedMembersTable {
  tenant_id: TenantId
  user_id: UserId
  /** Null for SAML. */
  provider_id: string | null
}

/** Roles that namespaces make for themselves. */
export interface NamespaceRolesTable {
  id: Generated<string>
  tenant_id: TenantId
  name: string
  permissions: readonly string[]
  /** On devices with one of these only; null: everywhere. */
  tags: readonly string[] | null
  created_at: Generated<Date>
}

export interface MemberRolesTable {
  tenant_id: TenantId
  user_id: UserId
  role_id: string
}

export interface NamespaceTables {
  closed_namespaces: ClosedNamespacesTable
  former_namespace_names: FormerNamespaceNamesTable
  limit_defaults: LimitDefaultsTable
  members: MembersTable
  member_roles: MemberRolesTable
  namespace_roles: NamespaceRolesTable
  namespace_exports: NamespaceExportsTable
  namespace_limits: NamespaceLimitsTable
  namespaces: NamespacesTable
  left_members: LeftMembersTable
  provided_members: ProvidedMembersTable
}
