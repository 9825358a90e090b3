// How tables and columns of a dump may be called. Nobody has documented them for us: this is what the API calls them, and what
// such tables are usually called. Whoever has others names them in a file (`--map`).

/** One column, the likeliest name first; a name with a dot is a member of a JSON column. */
interface Column {
  readonly names: readonly string[]
  /** Nothing can be made of the table without it. */
  readonly isRequired?: true
}

interface Table {
  readonly names: readonly string[]
  readonly isRequired?: true
  /** Rows that are kept at most. */
  readonly most: number
  readonly columns: Readonly<Record<string, Column>>
}

const column = (...names: string[]): Column => ({ names })
const required = (...names: string[]): Column => ({ names, isRequired: true })

const tenant = required('tenant_id', 'namespace_id', 'tenant')
const user = required('user_id', 'member_id', 'account_id')
const tag = required('tag_id')
const filter = {
  hostname: column('filter_hostname', 'hostname_filter', 'filter.hostname', 'hostname'),
  tags: column('filter_tags', 'filter.tags', 'tags', 'tag_ids'),
}

export const TABLES = {
  users: {
    names: ['users', 'user', 'accounts'],
    isRequired: true,
    most: 200_000,
    columns: {
      id: required('id', 'user_id'),
      name: column('name', 'full_name', 'display_name'),
      username: required('username', 'user_name', 'login'),
      email: required('email', 'email_address'),
      password_hash: required('password.hash', 'password_digest', 'password_hash', 'hashed_password', 'password'),
      status: column('status', 'state'),
      confirmed: column('confirmed', 'is_confirmed', 'email_confirmed'),
      admin: column('admin', 'is_admin', 'administrator', 'superuser'),
      mfa: column('mfa.enabled', 'mfa_enabled', 'status_mfa', 'mfa'),
      max_namespaces: column('max_namespaces', 'namespaces_limit'),
    },
  },
  namespaces: {
    names: ['namespaces', 'namespace', 'tenants'],
    isRequired: true,
    most: 200_000,
    columns: {
      id: column('id'),
      tenant: required('tenant_id', 'id'),
      name: required('name'),
      owner: column('owner_id', 'owner', 'owner_user_id'),
      // Not taking it would switch recording off.
      session_record: required('session_record', 'record_sessions', 'settings.session_record'),
      announcement: column('connection_announcement', 'announcement', 'settings.connection_announcement'),
    },
  },
  members: {
    names: ['members', 'member', 'memberships', 'namespace_members', 'namespaces_members', 'namespace_users'],
    isRequired: true,
    most: 500_000,
    columns: { tenant, user, role: required('role'), status: column('status', 'state') },
  },
  devices: {
    names: ['devices', 'device'],
    isRequired: true,
    most: 200_000,
    columns: {
      id: column('id'),
      uid: required('uid', 'device_uid', 'id'),
      tenant,
      name: required('name', 'hostname'),
      mac: required('mac', 'mac_address', 'identity_mac', 'identity.mac'),
      public_key: required('public_key'),
      status: required('status', 'state'),
      last_seen: column('last_seen', 'last_seen_at', 'seen_at'),
      tags: column('tags', 'tag_ids'),
      info_id: column('info_id', 'info_identifier', 'info.id', 'identifier'),
      pretty_name: column('info_pretty_name', 'pretty_name', 'info.pretty_name'),
      version: column('info_version', 'version', 'info.version'),
      arch: column('info_arch', 'arch', 'info.arch'),
      platform: column('info_platform', 'platform', 'info.platform'),
    },
  },
  keys: {
    names: ['public_keys', 'public_key', 'ssh_keys', 'sshkeys'],
    most: 200_000,
    columns: {
      id: column('id', 'fingerprint'),
      tenant,
      name: required('name'),
      data: required('data', 'key', 'public_key'),
      username: required('username', 'filter_username'),
      ...filter,
    },
  },
  rules: {
    names: ['firewall_rules', 'firewall_rule', 'rules'],
    most: 200_000,
    columns: {
      id: column('id'),
      tenant,
      action: required('action'),
      active: required('active', 'is_active', 'enabled'),
      priority: required('priority'),
      source_ip: required('source_ip', 'source'),
      username: required('username'),
      ...filter,
    },
  },
  api_keys: {
    names: ['api_keys', 'api_key', 'apikeys'],
    most: 200_000,
    // Their keys are not read: here they would be worth nothing.
    columns: { tenant, name: required('name'), role: required('role') },
  },
  tags: {
    names: ['tags', 'tag'],
    most: 500_000,
    columns: { id: required('id'), name: required('name') },
  },
  device_tags: {
    names: ['device_tags', 'devices_tags', 'tag_devices', 'tags_devices'],
    most: 1_000_000,
    columns: { item: required('device_id', 'device_uid'), tag },
  },
  key_tags: {
    names: ['public_key_tags', 'public_keys_tags', 'ssh_key_tags', 'tag_public_keys'],
    most: 500_000,
    columns: { item: required('public_key_id', 'ssh_key_id', 'public_key_fingerprint'), tag },
  },
  rule_tags: {
    names: ['firewall_rule_tags', 'firewall_rules_tags', 'rule_tags', 'tag_firewall_rules'],
    most: 500_000,
    columns: { item: required('firewall_rule_id', 'rule_id'), tag },
  },
} as const satisfies Readonly<Record<string, Table>>

export type Kind = keyof typeof TABLES
export const KINDS = Object.keys(TABLES) as Kind[]
