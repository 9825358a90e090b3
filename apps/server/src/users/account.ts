// A person's account as the server's code has it.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { UserRow } from './store.ts'

/** A registered person. */
export interface Account {
  readonly id: UserId
  readonly username: string
  readonly name: string
  readonly email: string
  /** True if nobody has confirmed that the address is this person's. */
  readonly isEmailUnproven: boolean
  /** New address that is not confirmed yet; '' if there is none. */
  readonly pendingEmail: string
  readonly recoveryEmail: string
  readonly passwordHash: string | undefined
  readonly status: UserRow['status']
  readonly origin: 'local' | 'SAML' | 'OpenID'
  readonly authMethods: readonly ('local' | 'saml' | 'openid')[]
  /** True if a sign-in by password needs a second factor. */
  readonly mfaEnabled: boolean
  /** True if the person administers this server. */
  readonly isInstanceAdmin: boolean
  readonly maxNamespaces: number
  readonly preferredTenant: TenantId | undefined
  readonly tokenEpoch: number
}

/** The account of a row. */
export function toAccount(row: UserRow): Account {
  return {
    id: row.id,
    username: row.username ?? '',
    name: row.name ?? '',
    email: row.email,
    isEmailUnproven: row.email_unproven,
    pendingEmail: row.pending_email ?? '',
    recoveryEmail: row.recovery_email ?? '',
    passwordHash: row.password_hash ?? undefined,
    status: row.status,
    origin: row.origin,
    authMethods: row.auth_methods,
    mfaEnabled: row.mfa_enabled,
    isInstanceAdmin: row.is_instance_admin,
    maxNamespaces: row.max_namespaces,
    preferredTenant: row.preferred_tenant ?? undefined,
    tokenEpoch: row.token_epoch,
  }
}
