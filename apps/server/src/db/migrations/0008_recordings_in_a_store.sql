-- Finished recordings may lie in an S3 store instead of a file of the node (recordings/uploads.ts).
alter table recordings
  add place text not null default 'file'
    constraint place_of_a_recording_is_known check (place in ('file', 'leaving', 'object'));
comment on column recordings.place is
  'file: a file of the node. leaving: that file counts, and the store may have all or a part of it. object: the store has it.';
create index recordings_to_store on recordings (node, id) where place <> 'object';

-- What is to be removed from the store. However a recording goes – alone, with its session, its device or its namespace –
-- it is remembered here until the store has removed it.
create table removed_recordings (
  id uuid constraint removed_recordings_are_known_by_id primary key,
  removed_at timestamptz(3) not null default now()
);

create function remember_removed_recording() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into removed_recordings (id) values (old.id) on conflict do nothing;
  return null;
end $$;
create trigger removed_recordings_are_remembered after delete on recordings
  for each row when (old.place <> 'file') execute function remember_removed_recording();
