-- The search in recordings of one device, of one person, or of a time.

-- Servers of the version before go on with the function of four arguments. Row-level security would keep the index of words from being used.
create function search_passages(
  wanted tsquery, of_session text, on_device text, of_person text, since timestamptz, until timestamptz,
  most integer, after bigint,
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
        and (coalesce(of_session, on_device, of_person, since::text, until::text) is null or passage.recording_id in
          (select recording.id from recordings recording
              join sessions session on session.uid = recording.session_uid and session.tenant_id = namespace
            where recording.tenant_id = namespace
              and (of_session is null or recording.session_uid = of_session)
              and (on_device is null or session.device_uid = on_device)
              and (of_person is null or session.person_id = of_person)
              and (since is null or session.started_at >= since)
              and (until is null or session.started_at < until)))
      order by passage.id desc
      limit most offset after;
end $$;
grant execute on function search_passages(tsquery, text, text, text, timestamptz, timestamptz, integer, bigint) to bowline_app;
grant create on schema public to bowline_system;
alter function search_passages(tsquery, text, text, text, timestamptz, timestamptz, integer, bigint)
  owner to bowline_system;
revoke create on schema public from bowline_system;
