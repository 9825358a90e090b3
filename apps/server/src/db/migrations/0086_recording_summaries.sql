-- What a recording is about in a few numbers, found while it is read through for search.

-- Null until then, and in recordings that an earlier version has read.
alter table recordings add column summary jsonb;
create index recordings_of_a_namespace_by_start on recordings (tenant_id, started_at desc, id);
