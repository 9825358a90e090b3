// What an export has of each table of a namespace. A test compares it with the database: a new table or column needs a
// decision here.

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { HEALTH_TABLES, INTERNAL, SECRET } from './health-tables.ts'
import { SERVER_ACTIONS, SERVER_ADMINISTRATION } from '../audit/actions.ts'

export interface ExportedTable {
  /** Columns in the archive. */
  readonly columns: readonly string[]
  /** Columns that identify a row, for a stable order. */
  readonly order: readonly string[]
  /** Expressions of columns that are not exported as they are stored. */
  readonly shown?: Readonly<Record<string, RawBuilder<unknown>>>
  /** Values beside the columns, by name. */
  readonly more?: Readonly<Record<string, RawBuilder<unknown>>>
  /** Condition of rows that are exported; absent: all that the connection sees. */
  readonly where?: RawBuilder<SqlBool>
  /** Columns that are left out, with the reason. */
  readonly without?: Readonly<Record<string, string>>
}

/** The column, or what stands for it where the server's administration acted. */
function byMembers(column: string, instead: string): RawBuilder<unknown> {
  return sql`case when action in (${sql.join(SERVER_ACTIONS)}) then ${instead} else ${sql.ref(column)}::text end`
}

export const EXPORTED: Readonly<Record<string, ExportedTable>> = {
  namespaces: {
    columns: [
      'name',
      'owner',
      'type',
      'session_record',
      'connection_announcement',
      'max_devices',
      'created_at',
      'settings',
      'billing',
      'disabled_at',
    ],
    order: ['name'],
  },
  namespace_limits: { columns: ['name', 'value'], order: ['name'] },
  members: {
    columns: ['user_id', 'role', 'status', 'added_at', 'expires_at', 'invite_email', 'inviter', 'invited_by_operator'],
    order: ['user_id'],
    without: { invite_hash: SECRET, invite_mailed: INTERNAL, invite_sends: INTERNAL },
  },
  devices: {
    columns: [
      'uid',
      'name',
      'hostname',
      'mac',
      'info',
      'public_key',
      'status',
      'status_updated_at',
      'created_at',
      'last_seen',
      'disconnected_at',
      'disconnect_cause',
      'presence_since',
      'remote_addr',
      'latitude',
      'longitude',
      'tags',
      'public_url',
      'public_name',
      'signed_at',
      'kind',
      'note',
      'fields',
      'ssh_host_key',
      'presented_host_key',
      'presented_host_key_at',
    ],
    order: ['uid'],
    without: { link_epoch: INTERNAL, link_node: INTERNAL, words: 'is in the other columns' },
  },
  ...HEALTH_TABLES,
  saved_views: { columns: ['id', 'user_id', 'name', 'list', 'query', 'created_at'], order: ['id'] },
  device_favorites: { columns: ['user_id', 'device_uid'], order: ['user_id', 'device_uid'] },
  device_jobs: {
    columns: ['id', 'user_id', 'action', 'tags', 'state', 'total', 'undoes', 'created_at', 'finished_at'],
    order: ['id'],
    without: { leased_until: INTERNAL },
  },
  device_job_items: {
    columns: ['job_id', 'device_uid', 'name', 'state', 'status_before', 'tags_before', 'error_code', 'error_message'],
    order: ['job_id', 'device_uid'],
  },
  removed_devices: { columns: ['uid', 'removed_at', 'device'], order: ['uid'] },
  public_keys: {
    columns: [
      'fingerprint',
      'data',
      'name',
      'username',
      'hostname',
      'tags',
      'created_at',
      'owner',
      'service',
      'former_owner',
      'former_user',
      'vouched_by',
      'vouched_in_person',
    ],
    order: ['fingerprint'],
    without: { blob: 'is in data' },
  },
  firewall_rules: {
    columns: [
      'id',
      'action',
      'active',
      'priority',
      'source_ip',
      'source_networks',
      'username',
      'people',
      'roles',
      'hostname',
      'tags',
      'created_at',
    ],
    order: ['id'],
  },
  tunnels: {
    columns: [
      'address',
      'device_uid',
      'host',
      'port',
      'ttl_seconds',
      'expires_at',
      'created_at',
      'door',
      'host_header',
      'tls',
      'http2',
      'protocol',
    ],
    order: ['address'],
    without: { password_hash: SECRET },
  },
  connectors: {
    columns: [
      'uid',
      'enable',
      'address',
      'port',
      'secure',
      'device_uid',
      'tls_ca',
      'tls_cert',
      'status_state',
      'status_message',
      'created_at',
    ],
    order: ['uid'],
    without: { tls_key: SECRET },
  },
  api_keys: {
    columns: ['name', 'role', 'created_by', 'created_at', 'updated_at', 'expires_at'],
    order: ['name'],
    without: { key_hash: SECRET },
  },
  install_keys: {
    columns: ['name', 'accepts', 'tags', 'max_uses', 'uses', 'expires_at', 'created_by', 'created_at', 'last_used_at'],
    order: ['name'],
    without: { key_hash: SECRET },
  },
  sessions: {
    columns: [
      'uid',
      'device_uid',
      'username',
      'ip_address',
      'started_at',
      'last_seen',
      'closed_at',
      'active',
      'authenticated',
      'recorded',
      'output_bytes',
      'recorded_bytes',
      'type',
      'term',
      'latitude',
      'longitude',
      'event_types',
      'seats',
      'cause_by',
      'cause_reason',
      'cause_message',
      'person_id',
      'person',
      'method',
      'factor',
      'key_name',
      'key_fingerprint',
      'command',
    ],
    order: ['uid'],
    without: { node: INTERNAL },
  },
  session_events: { columns: ['id', 'session_uid', 'seat', 'type', 'at', 'data'], order: ['id'] },
  recordings: {
    columns: ['id', 'session_uid', 'seat', 'state', 'posted', 'bytes', 'started_at', 'ended_at', 'command'],
    order: ['id'],
    without: { node: INTERNAL, indexed: INTERNAL, place: INTERNAL },
  },
  recording_ledger: {
    columns: [
      'sequence',
      'kind',
      'recording_id',
      'session_uid',
      'seat',
      'device_uid',
      'at',
      'statement',
      'hash',
      'signature',
    ],
    order: ['sequence'],
  },
  audit_log: {
    columns: ['id', 'at', 'actor_type', 'actor_id', 'action', 'target', 'ip', 'details'],
    order: ['id'],
    shown: {
      actor_type: byMembers('actor_type', 'system'),
      actor_id: byMembers('actor_id', SERVER_ADMINISTRATION),
      ip: byMembers('ip', ''),
    },
  },
  billing_accounts: {
    columns: [
      'customer_id',
      'subscription_id',
      'live',
      'status',
      'end_at',
      'grace_until',
      'billed_devices',
      'created_at',
    ],
    order: ['customer_id'],
    without: { reads: INTERNAL, newest_read: INTERNAL, changes: INTERNAL, busy_until: INTERNAL },
  },
  group_roles: { columns: ['provider_id', 'group_name', 'role'], order: ['group_name', 'provider_id'] },
  left_members: { columns: ['user_id'], order: ['user_id'] },
  provided_members: { columns: ['user_id', 'provider_id'], order: ['user_id'] },
  scim_settings: { columns: ['enabled', 'mails', 'default_role', 'joins_at_sign_in'], order: ['default_role'] },
  scim_roles: { columns: ['group_name', 'role'], order: ['group_name'], without: { group_key: 'is in group_name' } },
  scim_tokens: {
    columns: ['id', 'name', 'created_by', 'created_at', 'last_used_at'],
    order: ['id'],
    without: { token_hash: SECRET },
  },
  scim_people: {
    columns: [
      'id',
      'user_name',
      'external_id',
      'email',
      'display_name',
      'given_name',
      'family_name',
      'user_id',
      'former_user',
      'created_at',
      'changed_at',
    ],
    order: ['id'],
    without: { user_name_key: 'is in user_name' },
  },
  scim_groups: {
    columns: ['id', 'name', 'external_id', 'created_at', 'changed_at'],
    order: ['id'],
    without: { name_key: 'is in name' },
  },
  scim_group_people: { columns: ['group_id', 'person_id'], order: ['group_id', 'person_id'] },
  scim_requests: {
    columns: ['id', 'at', 'token_name', 'method', 'path', 'status', 'detail'],
    order: ['id'],
  },
}

/** Tables that are left out, with the reason. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  closed_namespaces: 'a deleted namespace is restored before it is exported',
  dropped_guesses: 'counts of some hours',
  factor_windows: 'proofs of second factors, which end within days',
  held_logins: 'logins that wait for minutes',
  key_logins_under_way: 'logins that wait for seconds',
  login_keys: SECRET,
  namespace_exports: 'links of exports',
  recording_passages: 'the text of the recordings, made of them for search',
  repeated_refusals: 'counts of some hours',
  row_counts: 'counts of the other tables',
  user_authorities: SECRET,
}
