-- What becomes of recordings, in a chain of signed entries for each namespace (recordings/ledger/): an entry when one
-- begins, when it is sealed and when it is removed. A row and a file that are taken away leave their entries behind.
-- No foreign keys: the ledger outlives what it tells of.
alter table recordings
  drop constraint recording_state_is_known,
  add constraint recording_state_is_known check (state in ('recording', 'complete', 'truncated', 'interrupted'));

create table recording_ledger (
  tenant_id uuid not null,
  -- From 1, without gaps.
  sequence bigint not null
    constraint ledger_begins_with_one check (sequence > 0),
  kind text not null
    constraint ledger_kind_is_known check (kind in ('start', 'seal', 'remove', 'remove-device', 'remove-namespace')),
  -- Copies of what the statement says, to find it by.
  recording_id uuid,
  session_uid text,
  seat integer,
  device_uid text,
  at timestamptz(3) not null,
  -- JSON, byte for byte as it was hashed and signed.
  statement text not null,
  hash text not null
    constraint ledger_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$'),
  signature text not null,
  constraint ledger_entries_are_known_by_sequence primary key (tenant_id, sequence)
);
create index ledger_of_a_recording on recording_ledger (tenant_id, recording_id);
create index ledger_of_a_session on recording_ledger (tenant_id, session_uid, seat) where kind = 'start';
create index ledger_of_a_device on recording_ledger (tenant_id, device_uid) where device_uid is not null;
call isolate_by_tenant('recording_ledger');
grant select, insert on recording_ledger to bowline_app;
revoke update, delete on recording_ledger from bowline_system;
