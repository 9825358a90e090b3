// Kysely types of the tables of single sign-on: a part of schema.ts, with its rules.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { LinkedBy } from '@bowline/contract/schemas/user'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { ProvisionedRole } from './scim-tables.ts'

export interface SignInSettingsTable {
  one: Generated<boolean>
  local: Generated<boolean>
  saml: Generated<boolean>
  trust_addresses: Generated<boolean>
  provider_second_factor: Generated<boolean>
  /** '' while there is no SAML provider. */
  entity_id: Generated<string>
  signon_url: Generated<string>
  /** Base64 of the DER form. */
  certificates: Generated<readonly string[]>
  metadata_url: Generated<string>
  metadata_checked_at: Date | null
  metadata_failure: Generated<string>
  email_attribute: Generated<string>
  name_attribute: Generated<string>
  group_attribute: Generated<string>
  sign_requests: Generated<boolean>
  /** Accepts sign-ins that the provider begins. */
  unsolicited: Generated<boolean>
  /** Last successful test with the present provider. */
  tested_at: Date | null
}

export interface SamlKeysTable {
  id: string
  /** PEM. */
  certificate: string
  /** Private key, sealed with `BOWLINE_SECRET_KEY`. */
  sealed: Buffer
  created_at: Date
  expires_at: Date
}

export interface OpenidProvidersTable {
  id: string
  name: string
  issuer: string
  client_id: string
  /** Client secret, sealed with `BOWLINE_SECRET_KEY`. */
  sealed: Buffer
  group_claim: Generated<string>
  enabled: Generated<boolean>
  /** Signing out here offers to sign out there. */
  sign_out: Generated<boolean>
  created_at: Date
}

export interface ProviderRequestsTable {
  /** SHA-256 of the request id or of the state, 32 bytes. */
  id_hash: Buffer
  /** SHA-256 of the cookie of the browser that began, 32 bytes. */
  browser_hash: Buffer
  /** Null for SAML. */
  provider_id: string | null
  return_to: Generated<string>
  /** Nonce and code verifier; null for SAML. */
  sealed: Buffer | null
  /** The administrator of a test. */
  tester: UserId | null
  expires_at: Date
  /** Null for those of the version before. */
  source: ColumnType<string | null, string | null | undefined>
  /** The /24 or /48 of the source. */
  network: GeneratedAlways<string | null>
  /** The /24 or /32 of the source. */
  wide_network: GeneratedAlways<string | null>
}

export interface UsedAssertionsTable {
  /** SHA-256 of issuer and id, 32 bytes. */
  hash: Buffer
  expires_at: Date
}

export type KnownLink = Exclude<LinkedBy, 'unknown'>

export interface IdentitiesTable {
  kind: 'saml' | 'openid'
  issuer: string
  subject: string
  user_id: UserId
  email: Generated<string>
  groups: Generated<readonly string[]>
  created_at: Date
  last_used: Date
  id: Generated<string>
  /** Null for those linked before this was kept. */
  linked_by: ColumnType<KnownLink | null, KnownLink | null | undefined>
}

export interface IdentityProposalsTable {
  token_hash: Buffer
  browser_hash: Buffer
  kind: 'saml' | 'openid'
  issuer: string
  subject: string
  email: string
  groups: Generated<readonly string[]>
  user_id: UserId
  expires_at: Date
  /** SHA-256 of the token of the mailed link, 32 bytes; null until it is asked for. */
  proof_hash: Buffer | null
  /** Null for SAML. */
  provider_id: string | null
  /** Null for SAML. */
  provider_session: string | null
}

export interface GroupRolesTable {
  /** Null for SAML. */
  provider_id: string | null
  group_name: string
  tenant_id: TenantId
  role: ProvisionedRole
}

export interface ExchangeTokensTable {
  token_hash: Buffer
  browser_hash: Buffer
  user_id: UserId
  token_epoch: number
  expires_at: Date
  /** As `networkKey` has it; null for a token of the version before. */
  network: string | null
  /** Null for SAML. */
  provider_session: string | null
  /** When the person last proved a credential to the provider; null for a token of the version before. */
  proven_at: Date | null
}

export interface SingleSignOnTables {
  sign_in_settings: SignInSettingsTable
  saml_keys: SamlKeysTable
  openid_providers: OpenidProvidersTable
  provider_requests: ProviderRequestsTable
  used_assertions: UsedAssertionsTable
  identities: IdentitiesTable
  identity_proposals: IdentityProposalsTable
  group_roles: GroupRolesTable
  exchange_tokens: ExchangeTokensTable
}
