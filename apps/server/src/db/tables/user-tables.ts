// Kysely type of the table of accounts: a part of schema.ts, with its rules.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Generated } from 'kysely'

export interface UsersTable {
  /** 24 hex digits. */
  id: UserId
  /** Null only while `status` is `invited`. */
  name: string | null
  /** Lower-case; null only while `status` is `invited`. */
  username: string | null
  /** Lower-case. */
  email: string
  /** Set by the person where the server sends no mail that would have asked for a proof. */
  email_unproven: Generated<boolean>
  /** New address that is not confirmed yet; lower-case. */
  pending_email: string | null
  recovery_email: string | null
  /** Null for people who sign in by SAML only or have not registered yet. */
  password_hash: string | null
  status: 'invited' | 'not-confirmed' | 'confirmed' | 'disabled'
  /** Set while `status` is `disabled`. */
  disabled_at: Date | null
  origin: Generated<'local' | 'SAML' | 'OpenID'>
  auth_methods: Generated<readonly ('local' | 'saml' | 'openid')[]>
  mfa_enabled: Generated<boolean>
  is_instance_admin: Generated<boolean>
  email_marketing: Generated<boolean>
  /** −1: unlimited; 0: may create none. */
  max_namespaces: Generated<number>
  preferred_tenant: TenantId | null
  token_epoch: Generated<number>
  created_at: Generated<Date>
  last_login: Date | null
}

/** The export of an account, if one was asked for. */
export interface AccountExportsTable {
  user_id: UserId
  /** SHA-256, 32 bytes; null once the link has been used. */
  link_hash: Buffer | null
  link_expires_at: Date
  /** An answer is being written until then. */
  busy_until: Generated<Date>
  /** Epoch of the person's tokens when they asked. */
  token_epoch: Generated<number>
}

export interface UserTables {
  users: UsersTable
  account_exports: AccountExportsTable
}
