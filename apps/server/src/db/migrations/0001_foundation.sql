-- People, namespaces, devices, sessions and the platform's own keys, and who may see which row.
--
-- Two roles work with the data; the role that owns the tables only migrates them and, because row-level security is
-- forced, sees no row of a namespace itself:
--   bowline_app     one namespace at a time: rows whose tenant_id equals the setting bowline.tenant, nothing else
--   bowline_system  all rows: sign-in, the lookup of an SSHID, jobs, backup
-- A table with a column tenant_id calls isolate_by_tenant; a test reads the catalogue and fails when one forgets.
-- bowline_app gets a table by an explicit grant only. bowline_system gets later tables by default privileges.
--
-- Times are timestamptz(3): JavaScript keeps milliseconds, and a cursor must compare equal with what was read.

grant usage on schema public to bowline_app, bowline_system;
alter default privileges in schema public grant select, insert, update, delete on tables to bowline_system;
alter default privileges revoke execute on routines from public;

-- An unset bowline.tenant is an error, not an empty answer: a query that forgot its namespace must be noticed.
create procedure isolate_by_tenant(target regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy own_namespace on %s to bowline_app using (tenant_id = current_setting(''bowline.tenant'')::uuid)'
    ' with check (tenant_id = current_setting(''bowline.tenant'')::uuid)', target);
  execute format('create policy every_namespace on %s to bowline_system using (true) with check (true)', target);
end $$;

create table users (
  id text constraint users_are_known_by_id primary key
    constraint user_id_is_24_hex_digits check (id ~ '^[0-9a-f]{24}$'),
  name text,
  username text constraint username_is_unique unique
    constraint username_is_lower_case check (username = lower(username) and username <> ''),
  email text not null constraint email_is_unique unique
    constraint email_is_lower_case check (email = lower(email) and email <> ''),
  recovery_email text
    constraint recovery_email_is_lower_case check (recovery_email = lower(recovery_email) and recovery_email <> ''),
  password_hash text,
  status text not null
    constraint user_status_is_known check (status in ('invited', 'not-confirmed', 'confirmed')),
  origin text not null default 'local'
    constraint user_origin_is_known check (origin in ('local', 'SAML')),
  auth_methods text[] not null default '{local}'
    constraint auth_methods_are_known check (auth_methods <@ '{local,saml}'),
  mfa_enabled boolean not null default false,
  email_marketing boolean not null default false,
  max_namespaces integer not null default -1
    constraint max_namespaces_is_unlimited_or_a_count check (max_namespaces >= -1),
  preferred_tenant uuid,
  token_epoch integer not null default 0,
  created_at timestamptz(3) not null default now(),
  last_login timestamptz(3),
  -- Somebody invited by e-mail has no name yet.
  constraint registered_user_has_names check (status = 'invited' or (name is not null and username is not null)),
  constraint recovery_email_differs_from_email check (recovery_email <> email)
);
comment on table users is 'People of the whole instance. bowline_app has no access: it could tell who exists elsewhere.';
comment on column users.token_epoch is 'Carried by every token; raising it ends all of them.';

create table namespaces (
  tenant_id uuid constraint namespaces_are_known_by_tenant primary key,
  name text not null constraint namespace_name_is_unique unique
    constraint namespace_name_is_a_lower_case_rfc1123_label check (name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  owner text not null
    constraint namespace_owner_exists references users (id) on delete restrict,
  type text not null default 'team'
    constraint namespace_type_is_known check (type in ('personal', 'team')),
  session_record boolean not null default true,
  connection_announcement text not null default ''
    constraint connection_announcement_has_at_most_4096_characters check (length(connection_announcement) <= 4096),
  max_devices integer not null default -1
    constraint max_devices_is_unlimited_or_a_count check (max_devices >= -1),
  created_at timestamptz(3) not null default now(),
  settings jsonb not null default '{}'
    constraint namespace_settings_are_an_object check (jsonb_typeof(settings) = 'object')
);
create index namespaces_of_an_owner on namespaces (owner);
call isolate_by_tenant('namespaces');
grant select, insert, update, delete on namespaces to bowline_app;

alter table users add constraint preferred_tenant_exists
  foreign key (preferred_tenant) references namespaces (tenant_id) on delete set null;
create index users_preferring_a_tenant on users (preferred_tenant) where preferred_tenant is not null;

create table members (
  tenant_id uuid not null
    constraint member_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  user_id text not null
    constraint member_is_a_user references users (id) on delete cascade,
  role text not null
    constraint member_role_is_known check (role in ('owner', 'administrator', 'operator', 'observer')),
  status text not null
    constraint member_status_is_known check (status in ('accepted', 'pending')),
  added_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  constraint user_is_a_member_once primary key (tenant_id, user_id),
  constraint owner_is_an_accepted_member check (role <> 'owner' or status = 'accepted')
);
create unique index namespace_has_one_owner on members (tenant_id) where role = 'owner';
create index memberships_of_a_user on members (user_id);
call isolate_by_tenant('members');
grant select, insert, update, delete on members to bowline_app;

create table devices (
  uid text constraint devices_are_known_by_uid primary key
    constraint device_uid_is_64_hex_digits check (uid ~ '^[0-9a-f]{64}$'),
  tenant_id uuid not null
    constraint device_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null
    constraint device_name_has_1_to_255_characters check (length(name) between 1 and 255),
  hostname text,
  mac text,
  info jsonb not null default '{}'
    constraint device_info_is_an_object check (jsonb_typeof(info) = 'object'),
  public_key text not null,
  status text not null default 'pending'
    constraint device_status_is_known check (status in ('accepted', 'pending', 'rejected', 'removed', 'unused')),
  status_updated_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  last_seen timestamptz(3) not null default now(),
  disconnected_at timestamptz(3),
  -- Fencing: each link of the device raises the epoch, and only the holder of the newest may mark it offline.
  link_epoch integer not null default 0,
  link_node text not null default '',
  remote_addr text not null default '',
  latitude double precision not null default 0,
  longitude double precision not null default 0,
  tags text[] not null default '{}'
    constraint device_has_at_most_three_tags check (cardinality(tags) <= 3 and array_position(tags, null) is null),
  public_url boolean not null default false,
  -- Lets a session refer to a device of its own namespace only: foreign keys do not see row-level security.
  constraint device_is_of_one_namespace unique (tenant_id, uid)
);
create unique index accepted_device_name_is_unique_in_its_namespace
  on devices (tenant_id, lower(name)) where status = 'accepted';
create index devices_of_a_namespace_by_last_seen on devices (tenant_id, status, last_seen desc, uid);
call isolate_by_tenant('devices');
grant select, insert, update, delete on devices to bowline_app;

create table sessions (
  uid text constraint sessions_are_known_by_uid primary key
    constraint session_uid_is_64_hex_digits check (uid ~ '^[0-9a-f]{64}$'),
  tenant_id uuid not null
    constraint session_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  device_uid text not null,
  username text not null,
  ip_address text not null default '',
  started_at timestamptz(3) not null default now(),
  last_seen timestamptz(3) not null default now(),
  closed_at timestamptz(3),
  active boolean not null default false,
  authenticated boolean not null default false,
  recorded boolean not null default false,
  type text not null
    constraint session_type_is_known check (type in ('web', 'term')),
  term text not null default '',
  latitude double precision not null default 0,
  longitude double precision not null default 0,
  event_types text[] not null default '{}',
  seats integer[] not null default '{}',
  node text not null default '',
  cause_by text
    constraint session_cause_names_who check (cause_by in ('user', 'agent', 'gateway', 'admin', 'policy', 'network')),
  cause_reason text,
  cause_message text,
  constraint session_is_of_one_namespace unique (tenant_id, uid),
  constraint session_is_with_a_device_of_its_namespace
    foreign key (tenant_id, device_uid) references devices (tenant_id, uid) on delete cascade,
  constraint closed_session_is_not_active check (closed_at is null or not active),
  constraint session_has_a_cause_exactly_when_closed
    check (num_nulls(closed_at, cause_by, cause_reason, cause_message) in (0, 4))
);
comment on column sessions.node is 'The server process that holds the connection.';
create index sessions_of_a_namespace_by_last_seen on sessions (tenant_id, last_seen desc, uid);
create index sessions_of_a_device on sessions (device_uid);
create index active_sessions on sessions (tenant_id, node) where active;
call isolate_by_tenant('sessions');
grant select, insert, update, delete on sessions to bowline_app;

create table session_events (
  id bigint generated always as identity constraint session_events_are_known_by_id primary key,
  tenant_id uuid not null,
  session_uid text not null,
  seat integer not null,
  type text not null,
  at timestamptz(3) not null default now(),
  data jsonb not null default '{}',
  constraint event_is_of_a_session_of_its_namespace
    foreign key (tenant_id, session_uid) references sessions (tenant_id, uid) on delete cascade
);
create index events_of_a_session on session_events (tenant_id, session_uid, id);
call isolate_by_tenant('session_events');
grant select, insert, delete on session_events to bowline_app;

create table audit_log (
  id bigint generated always as identity constraint audit_entries_are_known_by_id primary key,
  tenant_id uuid,
  at timestamptz(3) not null default now(),
  actor_type text not null
    constraint audit_actor_type_is_known check (actor_type in ('user', 'api-key', 'system')),
  actor_id text not null,
  action text not null,
  target text not null default '',
  ip text not null default '',
  details jsonb not null default '{}'
    constraint audit_details_are_an_object check (jsonb_typeof(details) = 'object')
);
comment on table audit_log is
  'What was done, by whom. Written once; no foreign key, because it outlives what it tells of. Without a tenant: the instance.';
create index audit_of_a_namespace on audit_log (tenant_id, at desc, id desc);
call isolate_by_tenant('audit_log');
grant select, insert on audit_log to bowline_app;
revoke update on audit_log from bowline_system;

create table instance (
  id uuid not null default gen_random_uuid() constraint instance_is_known_by_id primary key,
  setup boolean not null default false,
  created_at timestamptz(3) not null default now(),
  only_row boolean not null default true
    constraint instance_has_one_row unique
    constraint instance_row_is_the_only_one check (only_row)
);
insert into instance default values;
revoke insert, delete on instance from bowline_system;

create table instance_keys (
  name text constraint instance_keys_are_known_by_name primary key,
  sealed bytea not null,
  created_at timestamptz(3) not null default now()
);
comment on table instance_keys is 'Private keys that all nodes share, sealed with BOWLINE_SECRET_KEY.';

create table login_attempts (
  source text not null,
  user_id text not null,
  attempts integer not null
    constraint attempts_are_counted_from_zero check (attempts >= 0),
  locked_until timestamptz(3),
  expires_at timestamptz(3) not null,
  constraint attempts_are_counted_per_source_and_user primary key (source, user_id)
);
create index login_attempts_by_expiry on login_attempts (expires_at);

create table refresh_tokens (
  id uuid constraint refresh_tokens_are_known_by_id primary key,
  family uuid not null,
  user_id text not null
    constraint refresh_token_is_of_a_user references users (id) on delete cascade,
  token_hash bytea not null
    constraint refresh_token_hash_is_unique unique
    constraint refresh_token_hash_is_sha256 check (octet_length(token_hash) = 32),
  tenant uuid
    constraint refresh_token_is_for_a_namespace references namespaces (tenant_id) on delete set null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  user_agent text not null default '',
  ip text not null default ''
);
create index refresh_tokens_of_a_family on refresh_tokens (family);
create index refresh_tokens_of_a_user on refresh_tokens (user_id);
create index refresh_tokens_of_a_namespace on refresh_tokens (tenant) where tenant is not null;
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);
