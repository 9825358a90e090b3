// Kysely types of the tables, written by hand next to migrations/*.sql and identical column for column; a test compares
// them with the catalogue. A column wrapped in `Generated` has a default and may be omitted on insert.
import type { Role } from '@bowline/contract/roles'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import type { Generated, GeneratedAlways } from 'kysely'
import type { JsonObject } from './json.ts'
import type { AgentUpdateTables } from './tables/agent-update-tables.ts'
import type { AuditLogTable, AlertDeliveriesTable, AlertRulesTable, AuditStreamsTable } from './tables/alert-tables.ts'
import type { CertificateTables } from './tables/certificate-tables.ts'
import type { NodeTables } from './tables/node-tables.ts'
import type { FactorTables } from './tables/factor-tables.ts'
import type { DroppedGuessesTable, RepeatedRefusalsTable } from './tables/guess-tables.ts'
import type { ScimTables } from './tables/scim-tables.ts'
import type { FactorWindowsTable, HeldLoginsTable } from './tables/held-login-tables.ts'
import type { SingleSignOnTables } from './tables/single-sign-on-tables.ts'
import type { UserTables } from './tables/user-tables.ts'
import type { MailCountsTable, MailsTable } from './tables/mail-tables.ts'
import type { NamespaceTables } from './tables/namespace-tables.ts'
import type {
  AccountTokensTable,
  RecoveryTokensTable,
  BudgetsTable,
  MailRequestsTable,
  RegistrationsTable,
} from './tables/registration-tables.ts'
import type { BillingTables } from './tables/billing-tables.ts'
import type { PairingsTable } from './tables/pairing-tables.ts'
import type { PasskeysTable, UsedChallengesTable } from './tables/passkey-tables.ts'
import type {
  AccessChangesTable,
  AccountEventsTable,
  EndedLoginsTable,
  FreshProofsTable,
  KnownDevicesTable,
  KnownSourcesTable,
  LoginAttemptsTable,
  PendingSignInsTable,
  ProviderSessionsTable,
  ProgramCodeGuessesTable,
  ProgramCodesTable,
  RefreshTokensTable,
  SignInsTable,
} from './tables/sign-in-tables.ts'

import type {
  RecordingsTable,
  RecordingLedgerTable,
  RemovedRecordingsTable,
  RecordingPassagesTable,
} from './tables/recording-tables.ts'

import type { SessionEventsTable, SessionsTable } from './tables/session-tables.ts'
import type { ApiKeysTable, InstallKeysTable } from './tables/program-key-tables.ts'
import type {
  DeviceJobItemsTable,
  DeviceJobsTable,
  TagRuleDevicesTable,
  TagRulesTable,
} from './tables/device-job-tables.ts'
import type { AccessRequestsTable } from './tables/access-request-tables.ts'
import type { AlertStatesTable, DeviceHealthPointsTable, DeviceHealthTable } from './tables/health-tables.ts'
import type { PresenceSpansTable } from './tables/presence-tables.ts'
import type { DeviceFavoritesTable, SavedViewsTable, SharedSnippetsTable } from './tables/view-tables.ts'

export type { ApiKeysTable, InstallKeysTable } from './tables/program-key-tables.ts'
export type { DeviceJobsTable, TagRuleDevicesTable, TagRulesTable } from './tables/device-job-tables.ts'
export type { AuditLogTable } from './tables/alert-tables.ts'
export type { DeviceFavoritesTable, SavedViewsTable, SharedSnippetsTable } from './tables/view-tables.ts'
export type { UsersTable } from './tables/user-tables.ts'

export type { JsonObject } from './json.ts'

export interface DevicesTable {
  uid: DeviceUid
  tenant_id: TenantId
  name: string
  hostname: string | null
  mac: string | null
  info: Generated<JsonObject>
  public_key: string
  status: Generated<DeviceStatus>
  status_updated_at: Generated<Date>
  created_at: Generated<Date>
  last_seen: Generated<Date>
  disconnected_at: Date | null
  /** Incremented by each link of the device; only the holder of the newest may mark it offline. */
  link_epoch: Generated<number>
  /** Server process that holds the newest link; '' without one. */
  link_node: Generated<string>
  /** Why the newest link ended, as `by:reason`; '' while it stands, or where unknown. */
  disconnect_cause: Generated<string>
  /** Spans of presence are complete from then on. */
  presence_since: Generated<Date>
  remote_addr: Generated<string>
  latitude: Generated<number>
  longitude: Generated<number>
  /** Where a person has placed the device; null for both: nobody has. */
  placed_latitude: number | null
  placed_longitude: number | null
  tags: Generated<readonly string[]>
  /** Those of the tags that rules have given. */
  rule_tags: Generated<readonly string[]>
  public_url: Generated<boolean>
  /** Part of the names of its tunnels; kept while `public_url` is off. */
  public_name: string | null
  /** Time stated in the newest registration signed by the device's key; null: none was signed. */
  signed_at: Date | null
  note: Generated<string>
  /** Custom fields: texts by name. */
  fields: Generated<JsonObject>
  /** Type and base64 of the SSH server's host key, of a device without an agent; null for all others. */
  ssh_host_key: string | null
  /** Another host key that the SSH server presents, written alike; nothing is sent to it. */
  presented_host_key: string | null
  /** When it was presented first. */
  presented_host_key_at: Date | null
  /** When it was taken over from another server; null: it was not. */
  imported_at: Date | null
  /** Status before its acceptance; null: that cannot be undone. */
  accepted_from: Exclude<DeviceStatus, 'accepted' | 'removed'> | null
  /** Who has accepted it, where that can be undone. */
  accepted_by: string | null
  /** Generated column: what a search looks at, in lower case. */
  words: GeneratedAlways<string>
  /** Generated column: the same without the tags. */
  rule_words: GeneratedAlways<string>
  /** Generated column: containers are devices of the connector's platform. */
  kind: GeneratedAlways<'devices' | 'containers'>
}

/** Has exactly one row, inserted by the first migration. */
export interface InstanceTable {
  id: Generated<string>
  setup: Generated<boolean>
  created_at: Generated<Date>
  only_row: Generated<boolean>
}

export interface InstanceKeysTable {
  name: string
  /** Sealed with `BOWLINE_SECRET_KEY`. */
  sealed: Buffer
  created_at: Generated<Date>
}

export interface PublicKeysTable {
  tenant_id: TenantId
  fingerprint: string
  /** SSH wire encoding of the key. */
  blob: Buffer
  data: string
  name: string
  username: string
  /** Exactly one of `hostname` and `tags` is set. */
  hostname: string | null
  tags: readonly string[] | null
  created_at: Generated<Date>
  /** Null on a key that is no service key: the key is disabled. */
  owner: UserId | null
  /** Belongs to the namespace itself and has no owner on purpose. */
  service: boolean
  /** E-mail address of the last owner after they have left; else ''. */
  former_owner: Generated<string>
  /** Last owner after they have left; null when unknown, or when the account is gone. */
  former_user: UserId | null
  /** Person who last set the owner; null for the platform itself. */
  vouched_by: UserId | null
  /** Not by an API key of that person. */
  vouched_in_person: Generated<boolean>
}

export interface FirewallRulesTable {
  id: GeneratedAlways<number>
  tenant_id: TenantId
  action: 'allow' | 'deny'
  active: boolean
  priority: number
  source_ip: string
  /** Canonical; where there are any, `source_ip` is `.*`. */
  source_networks: Generated<readonly string[]>
  username: string
  /** Members and roles that the rule is about; everybody where there are none. */
  people: Generated<readonly UserId[]>
  roles: Generated<readonly Role[]>
  /** Exactly one of `hostname` and `tags` is set. */
  hostname: string | null
  tags: readonly string[] | null
  created_at: Generated<Date>
}

export interface TunnelsTable {
  address: string
  tenant_id: TenantId
  device_uid: DeviceUid
  host: string
  port: number
  /** −1: until deleted. */
  ttl_seconds: number
  expires_at: Date | null
  created_at: Generated<Date>
  door: Generated<'none' | 'namespace' | 'password'>
  /** argon2id; set while the door is `password`. */
  password_hash: string | null
  /** '' keeps the client's. */
  host_header: Generated<string>
  tls: Generated<'none' | 'verify' | 'insecure'>
  http2: Generated<boolean>
  protocol: Generated<'http' | 'tcp'>
}

export interface ConnectorsTable {
  uid: string
  tenant_id: TenantId
  enable: boolean
  address: string
  port: number
  secure: boolean
  /** Whose agent reaches the engine; there is no address then. */
  device_uid: DeviceUid | null
  tls_ca: string | null
  tls_cert: string | null
  /** Sealed with `BOWLINE_SECRET_KEY`. */
  tls_key: Buffer | null
  status_state: Generated<string>
  status_message: Generated<string>
  created_at: Generated<Date>
}

export interface RemovedDevicesTable {
  tenant_id: TenantId
  uid: DeviceUid
  removed_at: Generated<Date>
  /** The removed device, in the columns of the table devices. */
  device: JsonObject
}

/** See row-counts.ts; written by triggers only. */
export interface RowCountsTable {
  tenant_id: TenantId
  list: 'devices' | 'containers' | 'sessions' | 'audit_log'
  /** Status of devices and containers; '' for other lists. */
  status: string
  difference: number
}

export interface AnnouncementsTable {
  uuid: string
  title: string
  /** Markdown. */
  content: string
  /** From when it is shown. */
  date: Generated<Date>
  /** From then on it is no longer shown; null: until it is removed. */
  ends_at: Date | null
}

export interface AnnouncementReadsTable {
  user_id: UserId
  uuid: string
}

export interface UserAuthoritiesTable {
  tenant_id: TenantId
  /** Private key that certifies logins, sealed with `BOWLINE_SECRET_KEY`. */
  sealed: Buffer
  created_at: Generated<Date>
}

export interface LoginKeysTable {
  tenant_id: TenantId
  /** MD5 as sixteen pairs of hex digits. */
  fingerprint: string
  /** Private key, sealed with `BOWLINE_SECRET_KEY`. */
  sealed: Buffer
  created_at: Generated<Date>
}

export interface KeyLoginsUnderWayTable {
  id: Generated<string>
  tenant_id: TenantId
  device_uid: DeviceUid
  username: string
  expires_at: Date
}

export interface Schema
  extends
    BillingTables,
    AgentUpdateTables,
    CertificateTables,
    FactorTables,
    NamespaceTables,
    NodeTables,
    ScimTables,
    SingleSignOnTables,
    UserTables {
  login_keys: LoginKeysTable
  user_authorities: UserAuthoritiesTable
  key_logins_under_way: KeyLoginsUnderWayTable
  api_keys: ApiKeysTable
  install_keys: InstallKeysTable
  public_keys: PublicKeysTable
  firewall_rules: FirewallRulesTable
  tunnels: TunnelsTable
  connectors: ConnectorsTable
  removed_devices: RemovedDevicesTable
  alert_rules: AlertRulesTable
  alert_deliveries: AlertDeliveriesTable
  presence_spans: PresenceSpansTable
  device_health: DeviceHealthTable
  device_health_points: DeviceHealthPointsTable
  alert_states: AlertStatesTable
  saved_views: SavedViewsTable
  access_requests: AccessRequestsTable
  shared_snippets: SharedSnippetsTable
  tag_rules: TagRulesTable
  tag_rule_devices: TagRuleDevicesTable
  device_favorites: DeviceFavoritesTable
  device_jobs: DeviceJobsTable
  device_job_items: DeviceJobItemsTable
  row_counts: RowCountsTable
  announcements: AnnouncementsTable
  announcement_reads: AnnouncementReadsTable
  mails: MailsTable
  mail_counts: MailCountsTable
  registrations: RegistrationsTable
  mail_requests: MailRequestsTable
  account_tokens: AccountTokensTable
  recovery_tokens: RecoveryTokensTable
  budgets: BudgetsTable
  pending_sign_ins: PendingSignInsTable
  fresh_proofs: FreshProofsTable
  sign_ins: SignInsTable
  provider_sessions: ProviderSessionsTable
  known_devices: KnownDevicesTable
  program_codes: ProgramCodesTable
  held_logins: HeldLoginsTable
  factor_windows: FactorWindowsTable
  program_code_guesses: ProgramCodeGuessesTable
  pairings: PairingsTable
  passkeys: PasskeysTable
  used_challenges: UsedChallengesTable
  devices: DevicesTable
  sessions: SessionsTable
  session_events: SessionEventsTable
  recordings: RecordingsTable
  recording_ledger: RecordingLedgerTable
  recording_passages: RecordingPassagesTable
  removed_recordings: RemovedRecordingsTable
  audit_log: AuditLogTable
  audit_streams: AuditStreamsTable
  instance: InstanceTable
  instance_keys: InstanceKeysTable
  login_attempts: LoginAttemptsTable
  dropped_guesses: DroppedGuessesTable
  repeated_refusals: RepeatedRefusalsTable
  known_sources: KnownSourcesTable
  ended_logins: EndedLoginsTable
  account_events: AccountEventsTable
  access_changes: AccessChangesTable
  refresh_tokens: RefreshTokensTable
}
