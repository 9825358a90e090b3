-- One change of many devices, done by the server. The devices are those of the moment at which it was asked for.

create table device_jobs (
  id uuid constraint device_jobs_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint device_job_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  -- The person who asked, with whose rights it runs. It ends with the membership.
  user_id text not null,
  action text not null
    constraint device_job_action_is_known check (action in ('accept', 'reject', 'tag', 'untag', 'remove', 'undo')),
  tags text[] not null default '{}',
  state text not null default 'running'
    constraint device_job_state_is_known check (state in ('running', 'done', 'stopped')),
  total integer not null,
  undoes uuid
    constraint device_job_undoes_another references device_jobs (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  -- A node works on it until then, and renews this while it does.
  leased_until timestamptz(3) not null default '-infinity',
  constraint device_job_is_of_a_member foreign key (tenant_id, user_id) references members (tenant_id, user_id) on delete cascade
);
create index device_jobs_of_a_member on device_jobs (tenant_id, user_id, created_at);
create index device_jobs_under_way on device_jobs (created_at) where state = 'running';
create unique index device_job_is_undone_once on device_jobs (undoes);
call isolate_by_tenant('device_jobs');
grant select, insert, update, delete on device_jobs to bowline_app;

create table device_job_items (
  tenant_id uuid not null,
  job_id uuid not null
    constraint item_is_of_a_device_job references device_jobs (id) on delete cascade,
  -- No foreign key: a removed device stays in the report.
  device_uid text not null,
  name text not null,
  state text not null default 'waiting'
    constraint device_job_item_state_is_known check (state in ('waiting', 'done', 'failed')),
  -- What an undo restores.
  status_before text not null,
  tags_before text[] not null,
  error_code text,
  error_message text,
  constraint device_is_in_a_job_once primary key (job_id, device_uid)
);
create index device_job_items_by_state on device_job_items (job_id, state);
call isolate_by_tenant('device_job_items');
grant select, insert, update, delete on device_job_items to bowline_app;
