-- Recordings of sessions: one per seat. The bytes are a file that is named by the id alone (recordings/recordings.ts).
create table recordings (
  id uuid constraint recordings_are_known_by_id primary key,
  tenant_id uuid not null,
  session_uid text not null,
  seat integer not null
    constraint recorded_seat_is_of_a_connection check (seat between 0 and 65535),
  state text not null default 'recording'
    constraint recording_state_is_known check (state in ('recording', 'complete', 'truncated')),
  -- Made of frames that another part of the platform has sent, not by the gateway.
  posted boolean not null default false,
  node text not null,
  bytes bigint not null default 0
    constraint recording_size_is_not_negative check (bytes >= 0),
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  constraint seat_has_one_recording unique (tenant_id, session_uid, seat),
  constraint recording_is_of_a_session_of_its_namespace
    foreign key (tenant_id, session_uid) references sessions (tenant_id, uid) on delete cascade
);
create index unfinished_recordings on recordings (node) where state = 'recording';
call isolate_by_tenant('recordings');
grant select, insert, update, delete on recordings to bowline_app;
