-- Lists that stay fast in large namespaces: an index for each order that may be asked for, and totals that are kept
-- instead of counted.

-- Containers are devices of the connector's platform; each list leaves the other's out.
alter table devices add kind text not null
  generated always as (case when info->>'platform' = 'connector' then 'containers' else 'devices' end) stored;

drop index devices_of_a_namespace_by_last_seen;
create index devices_of_a_namespace_by_last_seen on devices (tenant_id, kind, status, last_seen desc, uid);
create index devices_of_a_namespace_by_name on devices (tenant_id, kind, status, name desc, uid);
create index devices_of_a_namespace_by_creation on devices (tenant_id, kind, status, created_at desc, uid);
create index devices_of_a_namespace_by_status_time on devices (tenant_id, kind, status, status_updated_at desc, uid);
create index public_keys_of_a_namespace_by_creation on public_keys (tenant_id, created_at, fingerprint);

-- How many rows a list has is the sum of its differences. Whoever adds or takes rows adds a difference in the same
-- transaction and waits for nobody; a job folds the differences of a list into one (db/row-counts.ts).
create table row_counts (
  tenant_id uuid not null,
  list text not null
    constraint counted_list_is_known check (list in ('devices', 'containers', 'sessions', 'audit_log')),
  -- Of devices and containers; '' elsewhere.
  status text not null,
  difference bigint not null
);
comment on table row_counts is
  'No foreign key: differences of a namespace that is being deleted come after it. They add up to nothing.';
create index row_counts_of_a_list on row_counts (tenant_id, list, status) include (difference);
call isolate_by_tenant('row_counts');
grant select on row_counts to bowline_app;
-- Only the triggers below write for bowline_app, which has no right to; they run as the owner of the tables.
create policy written_by_triggers on row_counts for insert with check (true);

create function count_devices() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into row_counts select tenant_id, kind, status, count(*) from added group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into row_counts select tenant_id, kind, status, -count(*) from removed group by 1, 2, 3;
  else
    insert into row_counts
      values (old.tenant_id, old.kind, old.status, -1), (new.tenant_id, new.kind, new.status, 1);
  end if;
  return null;
end $$;
create trigger added_devices_are_counted after insert on devices
  referencing new table as added for each statement execute function count_devices();
create trigger removed_devices_are_counted after delete on devices
  referencing old table as removed for each statement execute function count_devices();
-- Heartbeats change neither column and are not looked at.
create trigger changed_devices_are_counted after update of status, info, tenant_id on devices for each row
  when ((old.tenant_id, old.kind, old.status) is distinct from (new.tenant_id, new.kind, new.status))
  execute function count_devices();

create function count_rows() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into row_counts
      select tenant_id, tg_table_name, '', count(*) from added where tenant_id is not null group by 1;
  else
    insert into row_counts
      select tenant_id, tg_table_name, '', -count(*) from removed where tenant_id is not null group by 1;
  end if;
  return null;
end $$;
create trigger added_sessions_are_counted after insert on sessions
  referencing new table as added for each statement execute function count_rows();
create trigger removed_sessions_are_counted after delete on sessions
  referencing old table as removed for each statement execute function count_rows();
create trigger added_entries_are_counted after insert on audit_log
  referencing new table as added for each statement execute function count_rows();
create trigger removed_entries_are_counted after delete on audit_log
  referencing old table as removed for each statement execute function count_rows();

-- What there is already. The owner sees no rows; bowline_system does.
set local role bowline_system;
insert into row_counts select tenant_id, kind, status, count(*) from devices group by 1, 2, 3;
insert into row_counts select tenant_id, 'sessions', '', count(*) from sessions group by 1;
insert into row_counts select tenant_id, 'audit_log', '', count(*) from audit_log where tenant_id is not null group by 1;
reset role;
