-- Announcements are scheduled, end, and are seen once by each person.

alter table announcements add column ends_at timestamptz(3)
  constraint announcement_ends_after_it_begins check (ends_at > date);
comment on table announcements is 'Of the instance, for everybody; written by its administrators.';

create table announcement_reads (
  user_id text not null
    constraint announcement_read_is_of_a_user references users (id) on delete cascade,
  uuid uuid not null
    constraint announcement_read_is_of_an_announcement references announcements (uuid) on delete cascade,
  constraint announcement_is_read_once primary key (user_id, uuid)
);
create index announcement_reads_by_announcement on announcement_reads (uuid);
