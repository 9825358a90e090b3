-- Access that members ask for, which is theirs for a limited time once somebody else has approved it.

create table access_requests (
  id uuid constraint access_requests_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint access_request_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  user_id text
    constraint access_is_for_an_account references users (id) on delete set null,
  -- User names are those of the time.
  user_name text not null,
  -- Null for a tag, and once the device is gone: one that registers again under the same uid is not meant.
  device_uid text
    constraint access_is_to_a_device references devices (uid) on delete set null,
  device_name text,
  tag text,
  accounts text[] not null
    constraint access_is_as_1_to_8_accounts check (cardinality(accounts) between 1 and 8),
  -- Those that were requested; after an approval, those that were approved.
  minutes integer not null
    constraint access_takes_15_minutes_to_a_week check (minutes between 15 and 10080),
  reason text not null
    constraint access_reason_has_1_to_500_characters check (char_length(reason) between 1 and 500),
  state text not null default 'pending'
    constraint access_request_has_a_state check (state in ('pending', 'approved', 'denied', 'ended', 'withdrawn')),
  created_at timestamptz(3) not null,
  pending_until timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by text
    constraint access_request_was_decided_by_an_account references users (id) on delete set null,
  decided_by_name text,
  note text not null default ''
    constraint access_note_has_at_most_500_characters check (char_length(note) <= 500),
  expires_at timestamptz(3),
  ended_at timestamptz(3),
  ended_by text
    constraint access_was_ended_by_an_account references users (id) on delete set null,
  ended_by_name text,
  -- Whether the audit log has its expiry.
  expiry_logged boolean not null default false,
  constraint access_is_to_a_device_or_a_tag check ((device_name is null) <> (tag is null) and
    (device_uid is null or tag is null)),
  constraint approved_access_has_an_end check (state <> 'approved' or expires_at is not null),
  constraint nobody_approves_their_own_access check (state <> 'approved' or decided_by is distinct from user_id
    or user_id is null)
);
create index access_requests_by_age on access_requests (tenant_id, created_at desc, id);
create index access_requests_of_a_person on access_requests (tenant_id, user_id, created_at desc);
create index access_that_ends on access_requests (expires_at) where state = 'approved' and not expiry_logged;
create index access_requests_by_creation on access_requests (created_at);
create index access_requests_of_an_account on access_requests (user_id);
create index access_requests_to_a_device on access_requests (device_uid);
create index access_requests_decided_by on access_requests (decided_by);
create index access_requests_ended_by on access_requests (ended_by);
call isolate_by_tenant('access_requests');
grant select, insert, update on access_requests to bowline_app;
