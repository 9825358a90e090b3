-- Recordings can be entered anywhere and searched: keyframes are in a file beside the recording, what was to be read on
-- the screen is here, in passages of some lines (recordings/indexing.ts).
alter table recordings
  add indexed text not null default 'no'
    constraint index_of_a_recording_is_known check (indexed in ('no', 'yes', 'failed')),
  add command text not null default '';
comment on column recordings.command is 'What was run instead of a shell.';
create index recordings_to_index on recordings (node, ended_at) where indexed = 'no' and state <> 'recording';

create table recording_passages (
  id bigint generated always as identity constraint passages_are_known_by_id primary key,
  tenant_id uuid not null,
  recording_id uuid not null
    constraint passage_is_of_a_recording references recordings (id) on delete cascade,
  kind text not null
    constraint passage_kind_is_known check (kind in ('command', 'output')),
  -- When its first line was to be seen, in milliseconds since the start of the recording.
  at_ms bigint not null
    constraint passage_is_not_before_its_recording check (at_ms >= 0),
  text text not null,
  -- The words of the text as the server takes them apart (recordings/words.ts), and the namespace as one more.
  words tsvector not null
);
create index passages_of_a_recording on recording_passages (recording_id);
create index passages_of_a_namespace on recording_passages (tenant_id, id);
create index passages_by_word on recording_passages using gin (words);
call isolate_by_tenant('recording_passages');
grant select on recording_passages to bowline_app;

-- Under row-level security no condition may use an index that PostgreSQL does not know to be silent about rows of
-- others, and that of a tsvector is none. So the search runs as the role that sees every row, and asks for the namespace
-- itself, of the same setting as every policy.
create function search_passages(
  wanted tsquery, of_session text, most integer, after bigint,
  out id bigint, out recording_id uuid, out kind text, out at_ms bigint, out text text)
  returns setof record
  language plpgsql stable security definer
  set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan as $$
declare
  namespace uuid := current_setting('bowline.tenant')::uuid;
begin
  return query
    select passage.id, passage.recording_id, passage.kind, passage.at_ms, passage.text
      from recording_passages passage
      where passage.tenant_id = namespace
        and passage.words @@ (wanted && ('''' || namespace || '''')::tsquery)
        and (of_session is null or passage.recording_id in
          (select recording.id from recordings recording
            where recording.tenant_id = namespace and recording.session_uid = of_session))
      order by passage.id desc
      limit most offset after;
end $$;
grant execute on function search_passages to bowline_app;
grant create on schema public to bowline_system;
alter function search_passages owner to bowline_system;
revoke create on schema public from bowline_system;
