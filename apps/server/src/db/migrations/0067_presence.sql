-- When devices were online: a row for each span of time, none while nothing changes. A trigger writes them in the statement
-- that changes the device, so that a crash loses nothing, two nodes write no span twice, and servers that know nothing of
-- spans write them too.

alter table devices
  add column disconnect_cause text not null default ''
    constraint disconnect_cause_is_short check (char_length(disconnect_cause) <= 128),
  add column presence_since timestamptz(3) not null default now();
comment on column devices.disconnect_cause is 'Why the newest link ended, as by:reason; empty while it stands, or where unknown.';
comment on column devices.presence_since is 'Spans are complete from then on.';

create table presence_spans (
  id bigint generated always as identity constraint presence_spans_are_known_by_id primary key,
  tenant_id uuid not null,
  device_uid text not null
    constraint span_is_of_a_device references devices (uid) on delete cascade,
  started_at timestamptz(3) not null,
  -- Null while the device is online.
  ended_at timestamptz(3),
  -- Absences that are too short, or too many, for rows of their own, and the seconds of all of them.
  breaks integer not null default 0,
  away_seconds real not null default 0,
  -- Why it ended, as by:reason.
  cause text not null default '',
  -- Network that the device connected from: /24 of IPv4, /56 of IPv6.
  network cidr,
  -- Node that held the link.
  node text not null default '',
  constraint span_ends_after_its_start check (ended_at >= started_at)
);
create unique index device_has_one_open_span on presence_spans (device_uid) where ended_at is null;
create index presence_spans_of_a_device on presence_spans (device_uid, started_at desc);
create index open_presence_spans_of_a_namespace on presence_spans (tenant_id) where ended_at is null;
create index presence_spans_of_a_namespace_by_end on presence_spans (tenant_id, ended_at) where ended_at is not null;
create index presence_spans_by_end on presence_spans (ended_at) where ended_at is not null;
call isolate_by_tenant('presence_spans');
-- Links end also while the namespace is closed.
alter policy own_namespace on presence_spans using (tenant_id = current_setting('bowline.tenant')::uuid);
alter policy every_namespace on presence_spans using (true);
grant select, insert, update on presence_spans to bowline_app;

create function network_of(address text) returns cidr language plpgsql immutable as $$
begin
  return network(set_masklen(address::inet, case family(address::inet) when 4 then 24 else 56 end));
exception when invalid_text_representation then
  return null;
end $$;
grant execute on function network_of(text) to bowline_app, bowline_system;

create function note_presence() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  was_online constant boolean := old.status = 'accepted' and old.disconnected_at is null;
  is_online constant boolean := new.status = 'accepted' and new.disconnected_at is null;
  left_at timestamptz := coalesce(new.disconnected_at, now());
  why text := new.disconnect_cause;
  span record;
begin
  if was_online and is_online then
    -- The link is at another node now. Where the former one has died and nobody has noticed yet, the device was offline.
    select heartbeat_at into left_at from node_heartbeats() where id = old.link_node;
    if left_at is null or left_at > now() - interval '15 seconds' then return null; end if;
    why := 'gateway:node-lost';
  elsif was_online and new.status <> 'accepted' then
    why := 'admin:status';
  end if;
  if was_online then
    update presence_spans
      set ended_at = greatest(started_at, left_at), cause = why, network = network_of(old.remote_addr), node = old.link_node
      where device_uid = new.uid and ended_at is null;
  end if;
  if not is_online then return null; end if;
  select id, ended_at into span from presence_spans where device_uid = new.uid order by started_at desc limit 1;
  -- A device that reconnects has not been away; one that does so all day gets a hundred rows, and then one more only after
  -- a quarter of an hour.
  if span.ended_at > now() - interval '10 seconds' or (span.ended_at > now() - interval '15 minutes' and
    (select count(*) from (select from presence_spans
      where device_uid = new.uid and started_at > now() - interval '1 day' limit 100) today) = 100)
  then
    update presence_spans set ended_at = null, cause = '', breaks = breaks + 1,
        away_seconds = away_seconds + extract(epoch from now() - span.ended_at)
      where id = span.id;
  else
    insert into presence_spans (tenant_id, device_uid, started_at) values (new.tenant_id, new.uid, now())
      on conflict (device_uid) where ended_at is null do nothing;
  end if;
  return null;
end $$;
revoke execute on function note_presence() from public;
create trigger presence_of_devices_is_noted after update of disconnected_at, status, link_node on devices for each row
  when ((old.status = 'accepted' and old.disconnected_at is null)
      is distinct from (new.status = 'accepted' and new.disconnected_at is null)
    or (old.link_node <> new.link_node and old.disconnected_at is null and new.disconnected_at is null))
  execute function note_presence();

-- A closed namespace's devices went offline when it was closed, not when it is restored.
create or replace function devices_are_offline_after_closing() returns trigger language plpgsql as $$
begin
  update devices set link_node = '', disconnected_at = coalesce(disconnected_at, old.closed_at),
      disconnect_cause = 'admin:namespace-removed'
    where tenant_id = old.tenant_id and link_node <> ''
      and exists (select from namespaces where namespaces.tenant_id = old.tenant_id);
  return null;
end $$;

insert into presence_spans (tenant_id, device_uid, started_at)
  select tenant_id, uid, now() from devices where status = 'accepted' and disconnected_at is null;
