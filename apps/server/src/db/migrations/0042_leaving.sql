-- Namespaces that their owners have deleted. For some days they are only closed: the rows stay, but both working roles
-- no longer see those by which anybody or anything gets in, so that all code takes the namespace for gone.

create table closed_namespaces (
  tenant_id uuid constraint namespace_is_closed_once primary key
    constraint closed_namespace_is_there references namespaces (tenant_id) on delete cascade,
  closed_at timestamptz(3) not null,
  -- From then on a job removes it for good.
  due_at timestamptz(3) not null
);
create index closed_namespaces_by_due_time on closed_namespaces (due_at);
-- Isolated like what stays visible: as the one before this migration did it.
call isolate_by_tenant('closed_namespaces');
grant select on closed_namespaces to bowline_app;

-- Hides the rows of closed namespaces. A transaction that restores, removes or copies them sets bowline.closed to 'shown'.
-- That of the system's connection looks each row up by the key of closed_namespaces, so that their number costs nothing.
create procedure hide_while_closed(target regclass) language plpgsql as $$
begin
  execute format(
    'alter policy own_namespace on %s using (tenant_id = current_setting(''bowline.tenant'')::uuid'
    ' and (current_setting(''bowline.closed'', true) = ''shown'' or not exists (select from closed_namespaces'
    ' where closed_namespaces.tenant_id = current_setting(''bowline.tenant'')::uuid)))', target);
  execute format(
    'alter policy every_namespace on %s using (current_setting(''bowline.closed'', true) = ''shown'' or not exists'
    ' (select from closed_namespaces where closed_namespaces.tenant_id = %s.tenant_id))', target, target);
end $$;

create or replace procedure isolate_by_tenant(target regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy own_namespace on %s to bowline_app using (tenant_id = current_setting(''bowline.tenant'')::uuid)'
    ' with check (tenant_id = current_setting(''bowline.tenant'')::uuid)', target);
  execute format('create policy every_namespace on %s to bowline_system using (true) with check (true)', target);
  call hide_while_closed(target);
end $$;

-- Visible stays what jobs and ending sessions still write, and what nobody gets in by: sessions and their recordings, what
-- proves and counts them, and the account at the payment provider. Devices stay visible to the system's connection, which
-- finds them together with their namespace: a condition of a policy keeps PostgreSQL from using the index of their names.
do $$
declare target regclass;
begin
  for target in
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not in ('audit_log',
        'billing_accounts', 'closed_namespaces', 'dropped_guesses', 'recording_ledger', 'recording_passages',
        'recordings', 'repeated_refusals', 'row_counts', 'session_events', 'sessions')
  loop
    call hide_while_closed(target);
  end loop;
  alter policy every_namespace on devices using (true);
end $$;

-- Nobody pays for what is closed. The account stays: a restored namespace subscribes again by the same card.
create function end_subscription_while_closed() returns trigger language plpgsql as $$
begin
  insert into billing_endings (subscription_id)
    select subscription_id from billing_accounts
      where tenant_id = new.tenant_id and subscription_id is not null and status not in ('canceled', 'incomplete_expired')
    on conflict do nothing;
  return null;
end $$;
revoke execute on function end_subscription_while_closed() from public;
create trigger closed_namespace_ends_its_subscription after insert on closed_namespaces
  for each row execute function end_subscription_while_closed();

-- Links ended while their devices were hidden: nobody could write it down.
create function devices_are_offline_after_closing() returns trigger language plpgsql as $$
begin
  update devices set link_node = '', disconnected_at = coalesce(disconnected_at, now())
    where tenant_id = old.tenant_id and link_node <> ''
      and exists (select from namespaces where namespaces.tenant_id = old.tenant_id);
  return null;
end $$;
revoke execute on function devices_are_offline_after_closing() from public;
create trigger restored_devices_are_offline after delete on closed_namespaces
  for each row execute function devices_are_offline_after_closing();

-- Exports of namespaces: at most one of each at a time. Its link works once.
create table namespace_exports (
  tenant_id uuid constraint namespace_has_one_export primary key
    constraint export_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  user_id text not null constraint export_is_of_a_user references users (id) on delete cascade,
  -- Null: the link has been used.
  link_hash bytea constraint export_link_is_unique unique
    constraint export_link_hash_is_sha256 check (octet_length(link_hash) = 32),
  link_expires_at timestamptz(3) not null,
  -- An answer is being written until then; the process that writes it moves the time on.
  busy_until timestamptz(3) not null default 'epoch'
);
create index exports_of_a_user on namespace_exports (user_id);
call isolate_by_tenant('namespace_exports');
grant select on namespace_exports to bowline_app;
