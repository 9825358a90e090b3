-- Sign-ins as their owner sees them, and the browsers that an account has signed in from.

create table sign_ins (
  -- Family of a browser session, or the login that the tokens of POST /api/login share.
  id uuid constraint sign_ins_are_known_by_id primary key,
  user_id text not null
    constraint sign_in_is_of_a_user references users (id) on delete cascade,
  kind text not null
    constraint sign_in_kind_is_known check (kind in ('browser', 'program', 'token')),
  created_at timestamptz(3) not null,
  last_seen timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  source text not null default '',
  user_agent text not null default ''
);
create index sign_ins_of_a_user on sign_ins (user_id, last_seen desc, id);
create index sign_ins_by_expiry on sign_ins (expires_at);

insert into sign_ins (id, user_id, kind, created_at, last_seen, expires_at, source, user_agent)
select distinct on (family) family, user_id, 'browser', first_value(created_at) over life, created_at, expires_at, ip,
  user_agent
from refresh_tokens
window life as (partition by family order by created_at)
order by family, created_at desc;

create table known_devices (
  user_id text not null
    constraint known_device_is_of_a_user references users (id) on delete cascade,
  -- SHA-256 of the browser's device cookie; for logins without one, of program and network.
  device_hash bytea not null
    constraint device_hash_is_sha256 check (octet_length(device_hash) = 32),
  first_seen timestamptz(3) not null,
  last_seen timestamptz(3) not null,
  constraint device_is_kept_once primary key (user_id, device_hash)
);
create index known_devices_by_age on known_devices (last_seen);
