-- Administration of the whole instance: accounts and namespaces that are disabled for a while, and limits of namespaces.

-- A disabled account is one that nobody signs in to. Every check of `confirmed` refuses it by itself.
alter table users
  drop constraint user_status_is_known,
  add constraint user_status_is_known check (status in ('invited', 'not-confirmed', 'confirmed', 'disabled')),
  add column disabled_at timestamptz(3),
  add constraint disabled_accounts_have_a_time check ((status = 'disabled') = (disabled_at is not null));
create index administrators_of_the_instance on users (id) where is_instance_admin;

-- For bowline_app, which does not see people: its keys and memberships depend on whether they are disabled.
create function is_disabled_account(id text) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  as $$ select exists (select from users where users.id = is_disabled_account.id and users.status = 'disabled') $$;
grant execute on function is_disabled_account(text) to bowline_app, bowline_system;

alter table namespaces add column disabled_at timestamptz(3);
comment on column namespaces.disabled_at is 'Set by administrators of the instance: nothing of the namespace can be used.';

create index audit_entries_by_time on audit_log (at desc, id desc);

create table limit_defaults (
  name text constraint default_limit_is_named_once primary key
    constraint default_limit_is_known check (name in ('devices', 'members', 'sessions', 'tunnels', 'api_keys')),
  value integer not null
    constraint default_limit_is_unlimited_or_a_count check (value >= -1)
);
comment on table limit_defaults is 'Limits of namespaces that have none of their own; without a row there is no limit.';
-- For bowline_app, which sees no table of the whole instance.
create function default_limit(name text) returns integer
  language sql stable security definer set search_path = public, pg_temp
  as $$ select value from limit_defaults where limit_defaults.name = default_limit.name $$;
grant execute on function default_limit(text) to bowline_app, bowline_system;

create table namespace_limits (
  tenant_id uuid not null
    constraint limit_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null
    constraint limit_is_known check (name in ('devices', 'members', 'sessions', 'tunnels', 'api_keys')),
  value integer not null
    constraint limit_is_unlimited_or_a_count check (value >= -1),
  constraint limit_of_a_namespace_is_set_once primary key (tenant_id, name)
);
call isolate_by_tenant('namespace_limits');
grant select on namespace_limits to bowline_app;

-- Refuses a row above the limit. The first argument names the limit, the second is the condition of rows that count.
-- Whoever adds rows at the same time waits, where there is a limit: each then counts the rows of those before.
create function enforce_namespace_limit() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
declare
  most integer;
  found bigint;
begin
  select coalesce(
    (select value from namespace_limits where tenant_id = new.tenant_id and name = tg_argv[0]),
    default_limit(tg_argv[0]),
    -1
  ) into most;
  if most < 0 then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('limit ' || tg_argv[0] || ' ' || new.tenant_id, 0));
  execute format(
    'select count(*) from (select from %I where tenant_id = $1 and %s limit $2) counted', tg_table_name, tg_argv[1]
  ) into found using new.tenant_id, most::bigint + 1;
  if found > most then
    raise exception 'The namespace may have % %.', most, replace(tg_argv[0], '_', ' ') using
      errcode = 'check_violation', constraint = 'namespace_limit_is_kept', table = tg_table_name,
      detail = tg_argv[0] || ' ' || most;
  end if;
  return null;
end $$;
grant execute on function enforce_namespace_limit() to bowline_app, bowline_system;

-- At the end of the transaction: a device that replaces another is accepted before the other goes.
create constraint trigger accepted_devices_are_limited after insert on devices
  deferrable initially deferred for each row when (new.status = 'accepted')
  execute function enforce_namespace_limit('devices', 'status = ''accepted''');
create constraint trigger newly_accepted_devices_are_limited after update of status, tenant_id on devices
  deferrable initially deferred for each row when (new.status = 'accepted' and old.status <> 'accepted')
  execute function enforce_namespace_limit('devices', 'status = ''accepted''');
create trigger members_are_limited after insert on members for each row
  execute function enforce_namespace_limit('members', '(status = ''accepted'' or expires_at is null or expires_at > now())');
create trigger sessions_are_limited after update of active, authenticated on sessions for each row
  when (new.active and new.authenticated and not (old.active and old.authenticated))
  execute function enforce_namespace_limit('sessions', 'active and authenticated');
create trigger tunnels_are_limited after insert on tunnels for each row
  execute function enforce_namespace_limit('tunnels', '(expires_at is null or expires_at > now())');
create trigger api_keys_are_limited after insert on api_keys for each row
  execute function enforce_namespace_limit('api_keys', '(expires_at is null or expires_at > now())');
