-- Streams that deliver the audit log of a namespace to a receiver. A stream keeps its place in the log, no row per entry.

create table audit_streams (
  id uuid constraint audit_streams_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint audit_stream_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null
    constraint audit_stream_name_has_1_to_60_characters check (char_length(name) between 1 and 60),
  active boolean not null default true,
  format text not null
    constraint audit_stream_format_is_known check (format in ('json', 'ndjson', 'splunk-hec')),
  -- Nouns of actions, such as device; none: all entries.
  nouns text[] not null default '{}',
  host text not null,
  sealed_url bytea not null,
  sealed_secret bytea not null,
  -- Value of the header Authorization.
  sealed_authorization bytea,
  created_at timestamptz(3) not null default now(),
  -- Entries up to this one have arrived, or are not of this stream.
  position bigint not null,
  due_at timestamptz(3) not null default now(),
  -- A node sends until then.
  leased_until timestamptz(3) not null default '-infinity',
  attempts integer not null default 0,
  answer text not null default '',
  failing_since timestamptz(3),
  disabled_reason text
);
create index audit_streams_of_a_namespace on audit_streams (tenant_id, created_at);
call isolate_by_tenant('audit_streams');
grant select, insert, update, delete on audit_streams to bowline_app;

create index audit_entries_in_order on audit_log (tenant_id, id);
