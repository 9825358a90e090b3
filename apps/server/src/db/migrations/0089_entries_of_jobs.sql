-- Entries that a change of many devices writes: lists leave them out unless they are asked for.

-- No foreign key: the log stays when the report of the job is deleted.
alter table audit_log add job_id uuid;
create index audit_of_a_namespace_without_jobs on audit_log (tenant_id, at desc, id desc) where job_id is null;
create index audit_of_a_job on audit_log (tenant_id, job_id, at desc, id desc) where job_id is not null;

-- They are counted beside the others, with the status 'job'.
create function count_entries() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into row_counts
      select tenant_id, 'audit_log', case when job_id is null then '' else 'job' end, count(*)
        from added where tenant_id is not null group by 1, 3;
  else
    insert into row_counts
      select tenant_id, 'audit_log', case when job_id is null then '' else 'job' end, -count(*)
        from removed where tenant_id is not null group by 1, 3;
  end if;
  return null;
end $$;
drop trigger added_entries_are_counted on audit_log;
drop trigger removed_entries_are_counted on audit_log;
create trigger added_entries_are_counted after insert on audit_log
  referencing new table as added for each statement execute function count_entries();
create trigger removed_entries_are_counted after delete on audit_log
  referencing old table as removed for each statement execute function count_entries();
