-- Rules of a namespace that give tags to the devices that match a search, and take them away again.

create table tag_rules (
  id uuid constraint tag_rules_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint tag_rule_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  tag text not null
    constraint tag_of_a_rule_has_3_to_255_characters check (char_length(tag) between 3 and 255),
  query text not null
    constraint query_of_a_rule_has_1_to_200_characters check (char_length(query) between 1 and 200),
  active boolean not null default true,
  created_at timestamptz(3) not null default now(),
  changed_at timestamptz(3) not null default now(),
  -- Devices that it was to be tried on when it changed last.
  devices integer not null default 0,
  constraint tag_rule_is_there_once unique (tenant_id, tag, query)
);
call isolate_by_tenant('tag_rules');
grant select, insert, update, delete on tag_rules to bowline_app;

-- Those of the tags that rules have given; all others are people's and stay.
alter table devices
  add rule_tags text[] not null default '{}'
  constraint tags_of_rules_are_no_nulls check (array_position(rule_tags, null) is null),
  -- What the words of a rule look at: as "words", without the tags, which rules give.
  add rule_words text not null generated always as (lower(
    name || ' ' || uid || ' ' || remote_addr || ' ' || coalesce(mac, '') || ' ' ||
    coalesce(info->>'pretty_name', '') || ' ' || coalesce(info->>'id', '') || ' ' || coalesce(info->>'arch', '') || ' ' ||
    coalesce(info->>'version', '') || ' ' || note || ' ' || fields::text
  )) stored;

-- Devices that have changed since rules were last tried on them.
create table tag_rule_devices (
  tenant_id uuid not null
    constraint due_device_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  device_uid text not null
    constraint due_device_is_a_device references devices (uid) on delete cascade,
  constraint device_is_due_once primary key (tenant_id, device_uid)
);
create index due_devices_by_device on tag_rule_devices (device_uid);
call isolate_by_tenant('tag_rule_devices');
grant select, insert, update, delete on tag_rule_devices to bowline_app;

-- Whatever changes a device, a server of the previous version included, and whatever rules look at.
create function note_due_device() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from tag_rules where tenant_id = new.tenant_id) then
    insert into tag_rule_devices (tenant_id, device_uid) values (new.tenant_id, new.uid) on conflict do nothing;
  end if;
  return null;
end $$;
create trigger new_devices_are_due after insert on devices for each row execute function note_due_device();
create trigger changed_devices_are_due
  after update of name, hostname, mac, info, remote_addr, note, fields, tags, status on devices for each row
  when (
    (old.name, old.hostname, old.mac, old.info, old.remote_addr, old.note, old.fields, old.tags, old.status)
    is distinct from
    (new.name, new.hostname, new.mac, new.info, new.remote_addr, new.note, new.fields, new.tags, new.status)
  ) execute function note_due_device();
