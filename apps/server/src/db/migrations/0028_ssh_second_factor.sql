-- Second factor of SSH logins: logins that wait for their person, and windows in which no factor is asked again.

create table held_logins (
  id uuid constraint held_logins_are_known_by_id primary key,
  tenant_id uuid not null
    constraint held_login_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  -- Typed or compared by the person who approves.
  code text not null constraint held_login_code_is_unique unique
    constraint held_login_code_is_eight_letters check (code ~ '^[A-Z]{8}$'),
  -- Owner of the key; null for a password, which names nobody.
  user_id text,
  -- SHA-256 of what the client proved.
  credential bytea not null
    constraint held_credential_is_a_hash check (octet_length(credential) = 32),
  key_name text not null,
  -- Network that the approval is for, and the address that asked.
  source text not null,
  address text not null,
  device_uid text not null
    constraint held_login_is_to_a_device references devices (uid) on delete cascade,
  username text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Null while nobody has decided.
  approved boolean,
  decided_by text constraint held_login_is_decided_by_a_user references users (id) on delete cascade,
  decided_at timestamptz(3),
  constraint held_login_is_of_a_member foreign key (tenant_id, user_id)
    references members (tenant_id, user_id) on delete cascade,
  constraint held_decision_is_whole check (
    (approved is null) = (decided_at is null) and (approved is null) = (decided_by is null))
);
create index held_logins_of_a_credential on held_logins (tenant_id, credential, source);
create index held_logins_of_a_person on held_logins (user_id, expires_at);
create index held_logins_of_a_member on held_logins (tenant_id, user_id);
create index held_logins_of_a_source on held_logins (source, expires_at);
create index held_logins_to_a_device on held_logins (device_uid);
create index held_logins_decided_by on held_logins (decided_by);
create index held_logins_by_expiry on held_logins (expires_at);
call isolate_by_tenant('held_logins');
grant select on held_logins to bowline_app;

create table factor_windows (
  tenant_id uuid not null,
  user_id text not null,
  -- SHA-256, as in held_logins.
  credential bytea not null
    constraint window_credential_is_a_hash check (octet_length(credential) = 32),
  source text not null,
  -- Epoch of the account when it proved its factor: a new password since then closes the window.
  token_epoch integer not null,
  opened_at timestamptz(3) not null,
  constraint factor_window_is_opened_once primary key (tenant_id, credential, source, user_id),
  constraint factor_window_is_of_a_member foreign key (tenant_id, user_id)
    references members (tenant_id, user_id) on delete cascade
);
create index factor_windows_of_a_member on factor_windows (tenant_id, user_id);
create index factor_windows_by_age on factor_windows (opened_at);
call isolate_by_tenant('factor_windows');
grant select on factor_windows to bowline_app;
