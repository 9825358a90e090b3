-- Who logs in, and how. Null and '' in sessions of earlier versions, which noted neither.
alter table sessions
  -- The account: of a web terminal, the owner of a key, or whoever approved a password. No foreign key: a session that
  -- was must stay somebody's when the account is gone.
  add column person_id text,
  -- E-mail address of the account at the time of the login.
  add column person text not null default '',
  add column method text
    constraint session_method_is_known check (method in ('password', 'keyboard-interactive', 'publickey')),
  add column factor text
    constraint session_factor_is_known check (factor in ('approval', 'code', 'security-key', 'earlier')),
  add column key_name text not null default '',
  -- SHA-256 as `ssh-keygen -l` prints it.
  add column key_fingerprint text,
  -- The first command that was run without a shell.
  add column command text not null default '';
create index sessions_of_a_person on sessions (tenant_id, person_id, last_seen desc, uid) where person_id is not null;
create index sessions_by_key on sessions (tenant_id, key_fingerprint, last_seen desc, uid)
  where key_fingerprint is not null;
create index sessions_of_a_namespace_by_start on sessions (tenant_id, started_at desc, uid);
