-- Updates of agents: what devices tell about theirs, and how a namespace brings a release to all of them.

create table agent_update_policies (
  tenant_id uuid constraint namespace_has_one_update_policy primary key
    constraint update_policy_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  mode text not null
    constraint update_mode_is_known check (mode in ('off', 'manual', 'automatic')),
  -- Devices with this tag come first.
  canary_tag text,
  -- Minutes after midnight, UTC, and how long from then; null: any time.
  window_start smallint
    constraint update_window_starts_within_a_day check (window_start between 0 and 1439),
  window_minutes smallint
    constraint update_window_lasts_up_to_a_day check (window_minutes between 1 and 1440),
  constraint update_window_has_start_and_length check ((window_start is null) = (window_minutes is null))
);
call isolate_by_tenant('agent_update_policies');
grant select, insert, update, delete on agent_update_policies to bowline_app;

create table agent_rollouts (
  id uuid constraint rollouts_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint rollout_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  release bigint not null,
  version text not null,
  state text not null
    constraint rollout_state_is_known check (state in ('running', 'paused', 'halted', 'aborted', 'done')),
  stage text not null
    constraint rollout_stage_is_known check (stage in ('canary', 'tenth', 'all')),
  canary_tag text,
  -- Why it was halted.
  reason text not null default '',
  started_at timestamptz(3) not null,
  stage_since timestamptz(3) not null,
  ended_at timestamptz(3),
  constraint rollout_has_ended_or_goes_on check ((ended_at is null) = (state in ('running', 'paused')))
);
create unique index namespace_has_one_rollout_that_goes_on on agent_rollouts (tenant_id) where ended_at is null;
create index rollouts_by_start on agent_rollouts (tenant_id, started_at desc);
call isolate_by_tenant('agent_rollouts');
grant select, insert, update, delete on agent_rollouts to bowline_app;

create table agent_states (
  device_uid text constraint device_has_one_agent_state primary key
    constraint agent_state_is_of_a_device references devices (uid) on delete cascade,
  tenant_id uuid not null
    constraint agent_state_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  release bigint not null,
  -- Since when the device has that release.
  since timestamptz(3) not null,
  reported_at timestamptz(3) not null,
  -- Why the agent does not update itself.
  obstacle text,
  failed_release bigint,
  failed_reason text,
  -- The release that the device was told to fetch, and when it was first told.
  granted_release bigint,
  granted_at timestamptz(3)
);
create index agent_states_of_a_namespace on agent_states (tenant_id, release);
call isolate_by_tenant('agent_states');
grant select, insert, update, delete on agent_states to bowline_app;
