// Kysely types of the tables, written by hand next to migrations/*.sql and identical column for column; a test compares
// them with the catalogue. A column wrapped in `Generated` has a default and may be omitted on insert.
import type { DeviceUid, SessionUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import type { DeviceStatus } from '@bowline/contract/schemas/device'
import type { Role } from '@bowline/contract/roles'
import type { Generated, GeneratedAlways } from 'kysely'
import type { DroppedGuessesTable, RepeatedRefusalsTable } from './guess-tables.ts'
import type {
  AccessChangesTable,
  AccountEventsTable,
  EndedLoginsTable,
  KnownSourcesTable,
  LoginAttemptsTable,
  RefreshTokensTable,
} from './sign-in-tables.ts'

/** A JSON object. Top-level arrays are excluded on purpose: `pg` would send them as PostgreSQL arrays. */
export type JsonObject = { readonly [key: string]: unknown }

export interface UsersTable {
  /** 24 hex digits. */
  id: UserId
  /** Null only while `status` is `invited`. */
  name: string | null
  /** Lower-case; null only while `status` is `invited`. */
  username: string | null
  /** Lower-case. */
  email: string
  recovery_email: string | null
  /** Null for people who sign in by SAML only or have not registered yet. */
  password_hash: string | null
  status: 'invited' | 'not-confirmed' | 'confirmed'
  origin: Generated<'local' | 'SAML'>
  auth_methods: Generated<readonly ('local' | 'saml')[]>
  mfa_enabled: Generated<boolean>
  email_marketing: Generated<boolean>
  /** −1: unlimited; 0: may create none. */
  max_namespaces: Generated<number>
  preferred_tenant: TenantId | null
  token_epoch: Generated<number>
  created_at: Generated<Date>
  last_login: Date | null
}

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
  settings: Generated<JsonObject>
  /** Set while a cloud namespace is a customer of the payment provider. */
  billing: JsonObject | null
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
}

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
  remote_addr: Generated<string>
  latitude: Generated<number>
  longitude: Generated<number>
  tags: Generated<readonly string[]>
  public_url: Generated<boolean>
  /** Time stated in the newest registration signed by the device's key; null: none was signed. */
  signed_at: Date | null
  /** Generated column: containers are devices of the connector's platform. */
  kind: GeneratedAlways<'devices' | 'containers'>
}

export interface SessionsTable {
  uid: SessionUid
  tenant_id: TenantId
  device_uid: DeviceUid
  username: string
  ip_address: Generated<string>
  started_at: Generated<Date>
  last_seen: Generated<Date>
  /** Set together with the three columns of the cause, never alone. */
  closed_at: Date | null
  active: Generated<boolean>
  authenticated: Generated<boolean>
  recorded: Generated<boolean>
  output_bytes: number | null
  recorded_bytes: number | null
  type: 'web' | 'term'
  term: Generated<string>
  latitude: Generated<number>
  longitude: Generated<number>
  event_types: Generated<readonly string[]>
  seats: Generated<readonly number[]>
  /** Server process that holds the connection. */
  node: Generated<string>
  cause_by: 'user' | 'agent' | 'gateway' | 'admin' | 'policy' | 'network' | null
  cause_reason: string | null
  cause_message: string | null
}

export interface SessionEventsTable {
  id: GeneratedAlways<number>
  tenant_id: TenantId
  session_uid: SessionUid
  seat: number
  type: string
  at: Generated<Date>
  data: Generated<JsonObject>
}

export interface RecordingsTable {
  /** Also names the file. */
  id: string
  tenant_id: TenantId
  session_uid: SessionUid
  seat: number
  state: Generated<'recording' | 'complete' | 'truncated' | 'interrupted'>
  posted: Generated<boolean>
  /** Server process that has the file. */
  node: string
  bytes: Generated<number>
  started_at: Date
  ended_at: Date | null
  indexed: Generated<'no' | 'yes' | 'failed'>
  /** Command run instead of a shell; '' for a shell. */
  command: Generated<string>
  /** `leaving`: the file is authoritative, and the store may have all or part of it. */
  place: Generated<'file' | 'leaving' | 'object'>
}

/** Append only: no role may change or delete an entry. */
export interface RecordingLedgerTable {
  tenant_id: TenantId
  /** From 1, without gaps. */
  sequence: number
  kind: 'start' | 'seal' | 'remove' | 'remove-device' | 'remove-namespace' | 'rotate-key'
  recording_id: string | null
  session_uid: SessionUid | null
  seat: number | null
  device_uid: DeviceUid | null
  at: Date
  /** JSON, byte for byte as hashed and signed. */
  statement: string
  /** Hex. */
  hash: string
  /** Base64url. */
  signature: string
}

/** Recordings to be removed from the store. */
export interface RemovedRecordingsTable {
  id: string
  removed_at: Generated<Date>
}

export interface RecordingPassagesTable {
  id: GeneratedAlways<number>
  tenant_id: TenantId
  recording_id: string
  kind: 'command' | 'output'
  /** Time at which its first line appeared, in milliseconds since the start of the recording. */
  at_ms: number
  text: string
  /** Text form of a tsvector (recordings/text/words.ts). */
  words: string
}

export interface AuditLogTable {
  id: GeneratedAlways<number>
  /** Null for entries about the whole instance; only the system role sees those. */
  tenant_id: TenantId | null
  at: Generated<Date>
  actor_type: 'user' | 'api-key' | 'system'
  actor_id: string
  action: string
  target: Generated<string>
  ip: Generated<string>
  details: Generated<JsonObject>
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

export interface ApiKeysTable {
  tenant_id: TenantId
  name: string
  /** SHA-256 of the key's text, 32 bytes. */
  key_hash: Buffer
  role: Role
  /** Caps the key's role at this member's current one. */
  created_by: UserId
  created_at: Generated<Date>
  updated_at: Generated<Date>
  /** Null: never expires. */
  expires_at: Date | null
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
  /** Person who last set the owner; null for the platform itself. */
  vouched_by: UserId | null
}

export interface FirewallRulesTable {
  id: GeneratedAlways<number>
  tenant_id: TenantId
  action: 'allow' | 'deny'
  active: boolean
  priority: number
  source_ip: string
  username: string
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
}

export interface ConnectorsTable {
  uid: string
  tenant_id: TenantId
  enable: boolean
  address: string
  port: number
  secure: boolean
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
  date: Generated<Date>
}

export interface LoginKeysTable {
  tenant_id: TenantId
  /** MD5 as sixteen pairs of hex digits. */
  fingerprint: string
  /** Private key, sealed with `BOWLINE_SECRET_KEY`. */
  sealed: Buffer
  created_at: Generated<Date>
}

export interface Schema {
  login_keys: LoginKeysTable
  api_keys: ApiKeysTable
  public_keys: PublicKeysTable
  firewall_rules: FirewallRulesTable
  tunnels: TunnelsTable
  connectors: ConnectorsTable
  removed_devices: RemovedDevicesTable
  row_counts: RowCountsTable
  announcements: AnnouncementsTable
  users: UsersTable
  namespaces: NamespacesTable
  members: MembersTable
  devices: DevicesTable
  sessions: SessionsTable
  session_events: SessionEventsTable
  recordings: RecordingsTable
  recording_ledger: RecordingLedgerTable
  recording_passages: RecordingPassagesTable
  removed_recordings: RemovedRecordingsTable
  audit_log: AuditLogTable
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
