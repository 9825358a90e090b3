// Columns of each table that an export of an account includes. A test compares it with the database: a new column that names people
// needs a decision here.
//
// The person gets what is about them: what they gave, what they did and from where. What namespaces own (targets and
// details of audit entries, devices, sessions) stays with these: their owners export it.
import { accountAccess } from './access-request-tables.ts'
import { INTERNAL, SECRET } from './exported-table.ts'
import type { UserId } from '@bowline/contract/schemas/common'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ExportedTable } from './tables.ts'

const THE_PERSON = 'is the person'
const OTHERS = 'is about somebody else'
const OF_NAMESPACE = 'belongs to the namespace'

const of = (column: string, user: UserId): RawBuilder<SqlBool> => sql`${sql.ref(column)} = ${user}`

/** Only where the person is a member now. */
const inOwn = (column: string, user: UserId): RawBuilder<SqlBool> =>
  sql`${of(column, user)} and tenant_id in (
    select tenant_id from members own where own.user_id = ${user} and own.status = 'accepted')`

/** A column of keys that members of the namespace go on to change when the owner has left. */
const whileOwned = (column: string): RawBuilder<unknown> => sql`case when owner is not null then ${sql.ref(column)} end`

/** Tables with rows about a person. */
export function accountTables(user: UserId): Readonly<Record<string, ExportedTable>> {
  return {
    users: {
      where: of('id', user),
      columns: [
        'id',
        'name',
        'username',
        'email',
        'email_unproven',
        'pending_email',
        'recovery_email',
        'status',
        'disabled_at',
        'origin',
        'auth_methods',
        'mfa_enabled',
        'is_instance_admin',
        'email_marketing',
        'max_namespaces',
        'preferred_tenant',
        'created_at',
        'last_login',
      ],
      order: ['id'],
      without: { password_hash: SECRET, token_epoch: INTERNAL },
    },
    members: {
      where: of('user_id', user),
      columns: ['tenant_id', 'role', 'status', 'added_at', 'expires_at', 'invite_email'],
      more: { namespace: sql`(select name from namespaces where namespaces.tenant_id = members.tenant_id)` },
      order: ['tenant_id'],
      without: {
        user_id: THE_PERSON,
        inviter: OTHERS,
        invited_by_operator: OTHERS,
        invite_hash: SECRET,
        invite_mailed: INTERNAL,
        invite_sends: INTERNAL,
      },
    },
    // Keys in namespaces that the person has left: only what they gave.
    public_keys: {
      where: sql`(${inOwn('owner', user)}) or ${of('former_user', user)}`,
      columns: ['tenant_id', 'fingerprint', 'data', 'name', 'username', 'hostname', 'tags', 'created_at', 'service'],
      shown: Object.fromEntries(['name', 'username', 'hostname', 'tags'].map((column) => [column, whileOwned(column)])),
      order: ['tenant_id', 'fingerprint'],
      without: {
        former_user: THE_PERSON,
        owner: THE_PERSON,
        blob: 'is in data',
        former_owner: OTHERS,
        vouched_by: OTHERS,
        vouched_in_person: INTERNAL,
      },
    },
    api_keys: {
      where: inOwn('created_by', user),
      columns: ['tenant_id', 'name', 'role', 'scopes', 'created_at', 'updated_at', 'expires_at'],
      order: ['tenant_id', 'name'],
      without: { created_by: THE_PERSON, key_hash: SECRET },
    },
    install_keys: {
      where: inOwn('created_by', user),
      columns: ['tenant_id', 'name', 'accepts', 'tags', 'max_uses', 'uses', 'expires_at', 'created_at', 'last_used_at'],
      order: ['tenant_id', 'name'],
      without: { created_by: THE_PERSON, key_hash: SECRET },
    },
    scim_tokens: {
      where: inOwn('created_by', user),
      columns: ['tenant_id', 'id', 'name', 'created_at', 'last_used_at'],
      order: ['tenant_id', 'id'],
      without: { created_by: THE_PERSON, token_hash: SECRET },
    },
    scim_people: {
      where: of('user_id', user),
      columns: [
        'tenant_id',
        'user_name',
        'external_id',
        'email',
        'display_name',
        'given_name',
        'family_name',
        'created_at',
        'changed_at',
      ],
      order: ['tenant_id'],
      without: { id: INTERNAL, user_id: THE_PERSON, former_user: INTERNAL, user_name_key: 'is in user_name' },
    },
    member_roles: {
      where: of('user_id', user),
      columns: ['tenant_id', 'role_id'],
      more: { role: sql`(select name from namespace_roles where namespace_roles.id = member_roles.role_id)` },
      order: ['tenant_id', 'role_id'],
      without: { user_id: THE_PERSON },
    },
    left_members: {
      where: of('user_id', user),
      columns: ['tenant_id'],
      order: ['tenant_id'],
      without: { user_id: THE_PERSON },
    },
    provided_members: {
      where: of('user_id', user),
      columns: ['tenant_id'],
      order: ['tenant_id'],
      without: { user_id: THE_PERSON, provider_id: INTERNAL },
    },
    passkeys: {
      where: of('user_id', user),
      columns: ['id', 'name', 'aaguid', 'transports', 'multi_device', 'backed_up', 'created_at', 'last_used_at'],
      order: ['id'],
      without: { user_id: THE_PERSON, credential_id: INTERNAL, public_key: INTERNAL, sign_count: INTERNAL },
    },
    authenticators: {
      where: of('user_id', user),
      columns: ['id', 'name', 'created_at', 'last_used_at'],
      order: ['id'],
      without: { user_id: THE_PERSON, sealed: SECRET, last_step: INTERNAL },
    },
    identities: {
      where: of('user_id', user),
      columns: ['id', 'kind', 'issuer', 'subject', 'email', 'groups', 'linked_by', 'created_at', 'last_used'],
      order: ['id'],
      without: { user_id: THE_PERSON },
    },
    sign_ins: {
      where: of('user_id', user),
      columns: ['id', 'kind', 'created_at', 'last_seen', 'expires_at', 'source', 'user_agent', 'proven_at'],
      order: ['created_at', 'id'],
      without: { user_id: THE_PERSON },
    },
    known_devices: {
      where: of('user_id', user),
      columns: ['first_seen', 'last_seen'],
      order: ['first_seen', 'device_hash'],
      without: { user_id: THE_PERSON, device_hash: SECRET },
    },
    known_sources: {
      where: of('user_id', user),
      columns: ['source', 'first_seen', 'last_seen'],
      order: ['source'],
      without: { user_id: THE_PERSON },
    },
    account_events: {
      where: of('user_id', user),
      columns: ['id', 'at', 'last_at', 'kind', 'count', 'source', 'user_agent', 'details'],
      order: ['id'],
      without: { user_id: THE_PERSON, bucket: INTERNAL },
    },
    audit_log: {
      where: sql`actor_type = 'user' and ${of('actor_id', user)}`,
      columns: ['id', 'tenant_id', 'at', 'action', 'ip', 'job_id'],
      order: ['id'],
      without: { actor_type: THE_PERSON, actor_id: THE_PERSON, target: OF_NAMESPACE, details: OF_NAMESPACE },
    },
    sessions: {
      where: inOwn('person_id', user),
      columns: [
        'tenant_id',
        'uid',
        'started_at',
        'last_seen',
        'closed_at',
        'ip_address',
        'latitude',
        'longitude',
        'authenticated',
        'type',
        'person',
        'method',
        'factor',
        'key_name',
        'key_fingerprint',
      ],
      order: ['uid'],
      without: {
        person_id: THE_PERSON,
        device_uid: OF_NAMESPACE,
        username: OF_NAMESPACE,
        active: 'is in closed_at',
        recorded: OF_NAMESPACE,
        output_bytes: OF_NAMESPACE,
        recorded_bytes: OF_NAMESPACE,
        term: OF_NAMESPACE,
        event_types: OF_NAMESPACE,
        seats: OF_NAMESPACE,
        command: OF_NAMESPACE,
        watchers: OF_NAMESPACE,
        cause_by: OF_NAMESPACE,
        cause_reason: OF_NAMESPACE,
        cause_message: OF_NAMESPACE,
        node: INTERNAL,
      },
    },
    mails: {
      where: of('user_id', user),
      columns: ['id', 'kind', 'recipient', 'created_at', 'sent_at', 'failed_at'],
      order: ['created_at', 'id'],
      without: {
        user_id: THE_PERSON,
        sealed: SECRET,
        source: OTHERS,
        attempts: INTERNAL,
        due_at: INTERNAL,
        leased_until: INTERNAL,
        leased_by: INTERNAL,
        answer: INTERNAL,
        logged_at: INTERNAL,
      },
    },
    announcement_reads: {
      where: of('user_id', user),
      columns: ['uuid'],
      order: ['uuid'],
      without: { user_id: THE_PERSON },
    },
    saved_views: {
      where: inOwn('user_id', user),
      columns: ['tenant_id', 'id', 'name', 'list', 'query', 'created_at'],
      order: ['tenant_id', 'id'],
      without: { user_id: THE_PERSON },
    },
    access_requests: accountAccess(inOwn('user_id', user)),
    shared_snippets: {
      where: inOwn('created_by', user),
      columns: ['tenant_id', 'id', 'name', 'text', 'tags', 'created_at', 'changed_at'],
      order: ['tenant_id', 'id'],
      without: { created_by: THE_PERSON, created_by_name: THE_PERSON, changed_by: OTHERS, changed_by_name: OTHERS },
    },
    device_favorites: {
      where: inOwn('user_id', user),
      columns: ['tenant_id', 'device_uid'],
      order: ['tenant_id', 'device_uid'],
      without: { user_id: THE_PERSON },
    },
    device_jobs: {
      where: inOwn('user_id', user),
      columns: ['tenant_id', 'id', 'action', 'tags', 'state', 'total', 'undoes', 'created_at', 'finished_at'],
      order: ['tenant_id', 'id'],
      without: { user_id: THE_PERSON, leased_until: INTERNAL },
    },
  }
}

/** Tables that name people and are left out, with the reason. */
export const NOT_OF_ACCOUNTS: Readonly<Record<string, string>> = {
  access_changes: INTERNAL,
  account_exports: 'links of exports',
  account_tokens: SECRET,
  ended_logins: INTERNAL,
  exchange_tokens: SECRET,
  factor_resets: SECRET,
  factor_windows: 'proofs of second factors, which end within days',
  fresh_proofs: 'proofs that end within minutes',
  held_logins: 'logins that wait for minutes',
  identity_proposals: SECRET,
  issued_secrets: SECRET,
  namespace_exports: 'links of exports',
  namespaces: 'the role owner in members says which are the person’s; each has an export of its own',
  pending_sign_ins: SECRET,
  program_code_guesses: 'counts of some hours',
  program_codes: SECRET,
  provider_requests: SECRET,
  provider_sessions: SECRET,
  recovery_codes: SECRET,
  recovery_tokens: SECRET,
  refresh_tokens: SECRET,
}
