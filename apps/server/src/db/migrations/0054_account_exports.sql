-- Exports of what the server has about one person: at most one of each at a time. Its link works once.
create table account_exports (
  user_id text constraint account_has_one_export primary key
    constraint account_export_is_of_a_user references users (id) on delete cascade,
  -- Null: the link has been used.
  link_hash bytea constraint account_export_link_is_unique unique
    constraint account_export_link_hash_is_sha256 check (octet_length(link_hash) = 32),
  link_expires_at timestamptz(3) not null,
  -- An answer is being written until then; the process that writes it moves the time on.
  busy_until timestamptz(3) not null default 'epoch'
);

-- What a person has done, for the export of their account.
create index audit_entries_of_a_person on audit_log (actor_id, id) where actor_type = 'user';
