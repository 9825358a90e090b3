-- Logins that fail cost whoever guesses nothing: what is kept of them is bounded.
create index failed_sessions_by_age on sessions (started_at) where not authenticated;
create index failed_sessions_of_a_namespace on sessions (tenant_id, started_at) where not authenticated;

-- Failed logins of an hour beyond the limit of its namespace: their rows are gone, their number is not.
create table dropped_guesses (
  tenant_id uuid not null
    constraint dropped_guess_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  hour timestamptz(3) not null,
  count integer not null
    constraint guesses_were_dropped check (count >= 1),
  constraint dropped_guesses_are_counted_by_the_hour primary key (tenant_id, hour)
);
call isolate_by_tenant('dropped_guesses');
grant select, insert, update, delete on dropped_guesses to bowline_app;

-- Connections that a rule refused again after the audit log has told of the first; a job tells how many there were.
create table repeated_refusals (
  tenant_id uuid not null
    constraint refusal_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  source text not null,
  device_uid text not null,
  rule integer not null,
  since timestamptz(3) not null,
  -- Beside the first.
  count integer not null default 0
    constraint refusals_are_counted_from_zero check (count >= 0),
  details jsonb not null default '{}'
    constraint refusal_details_are_an_object check (jsonb_typeof(details) = 'object'),
  constraint refusals_are_counted_by_source_device_and_rule primary key (tenant_id, source, device_uid, rule)
);
create index repeated_refusals_by_age on repeated_refusals (since);
call isolate_by_tenant('repeated_refusals');
grant select, insert, update, delete on repeated_refusals to bowline_app;
