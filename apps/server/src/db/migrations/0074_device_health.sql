-- Health of devices: the last report of each, and points over time. Rows are written in batches, by the node that holds the
-- links. Also alert rules with thresholds.

create table device_health (
  device_uid text constraint device_has_one_health primary key
    constraint health_is_of_a_device references devices (uid) on delete cascade,
  tenant_id uuid not null,
  state text not null
    constraint health_state_is_known check (state in ('reported', 'off', 'unsupported')),
  reported_at timestamptz(3) not null,
  -- Percent of the time of all processors; of the memory; of the fullest filesystem.
  cpu real,
  memory real,
  disk real,
  -- Load average of five minutes, for each processor.
  load real,
  cpus integer,
  memory_bytes bigint,
  memory_available_bytes bigint,
  -- [{path, totalBytes, freeBytes}], the fullest first.
  filesystems jsonb not null default '[]'
    constraint filesystems_are_a_list check (jsonb_typeof(filesystems) = 'array'),
  booted_at timestamptz(0),
  -- Round trip on the link, milliseconds; also of devices that do not report.
  latency integer,
  constraint only_reports_have_values
    check (state = 'reported' or num_nonnulls(cpu, memory, disk, load, cpus, memory_bytes, booted_at) = 0)
) with (fillfactor = 70);
create index device_health_of_a_namespace on device_health (tenant_id);

-- A row for each device and hour with a point every 5 minutes; for each device and day with one every 60 minutes. Percent;
-- load in hundredths for each processor; milliseconds. Null without a report.
create table device_health_points (
  device_uid text not null
    constraint health_points_are_of_a_device references devices (uid) on delete cascade,
  tenant_id uuid not null,
  step_minutes smallint not null
    constraint health_points_have_a_known_step check (step_minutes in (5, 60)),
  begins_at timestamptz(0) not null,
  cpu smallint[] not null,
  memory smallint[] not null,
  disk smallint[] not null,
  load smallint[] not null,
  latency smallint[] not null,
  constraint health_points_are_kept_once primary key (device_uid, step_minutes, begins_at)
) with (fillfactor = 85);
create index device_health_points_by_age on device_health_points (step_minutes, begins_at);

do $$
declare target regclass;
begin
  foreach target in array array['device_health', 'device_health_points']::regclass[] loop
    call isolate_by_tenant(target);
    -- Reports are written together: one of a namespace that is being closed must not spoil the others.
    execute format('alter policy own_namespace on %s using (tenant_id = current_setting(''bowline.tenant'')::uuid)', target);
    execute format('alter policy every_namespace on %s using (true)', target);
  end loop;
end $$;
grant select on device_health, device_health_points to bowline_app;

-- Points of a row that is there, with those of a later batch.
create function merged_points(known smallint[], later smallint[]) returns smallint[] language sql immutable as $$
  select array_agg(coalesce(b, a) order by place) from unnest(known, later) with ordinality as both_of (a, b, place)
$$;

-- So many points, of which some are known by their place from 0.
create function placed_points(places integer[], points smallint[], count integer) returns smallint[] language sql immutable as $$
  select array_agg(point order by place) from generate_series(0, count - 1) as place
    left join unnest(places, points) as known (at, point) on known.at = place
$$;
grant execute on function merged_points(smallint[], smallint[]), placed_points(integer[], smallint[], integer)
  to bowline_app, bowline_system;

alter table alert_rules drop constraint alert_condition_is_known;
alter table alert_rules
  add constraint alert_condition_is_known
    check (condition in ('offline', 'many-offline', 'back', 'disk', 'memory', 'load')),
  add column threshold real
    constraint alert_threshold_is_positive check (threshold > 0),
  add constraint alert_has_a_threshold_for_health
    check ((condition in ('disk', 'memory', 'load')) = (threshold is not null)),
  -- Servers of earlier versions evaluate such a rule as one about presence: they must find nothing after infinity.
  add constraint alert_with_threshold_has_no_events check ((threshold is not null) = (evaluated_to = 'infinity'));
comment on column alert_rules.threshold is 'Percent, or load per processor, at which the rule fires; null: a rule about presence.';

-- Devices at or above the threshold of a rule.
create table alert_states (
  rule_id uuid not null
    constraint alert_state_is_of_a_rule references alert_rules (id) on delete cascade,
  device_uid text not null
    constraint alert_state_is_of_a_device references devices (uid) on delete cascade,
  tenant_id uuid not null,
  since timestamptz(3) not null,
  -- When a message about it was written; null: not yet.
  notified_at timestamptz(3),
  constraint alert_state_is_kept_once primary key (rule_id, device_uid)
);
create index alert_states_of_a_device on alert_states (device_uid);
call isolate_by_tenant('alert_states');
grant select, insert, update, delete on alert_states to bowline_app;
