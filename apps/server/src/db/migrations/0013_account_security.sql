-- Sign-in that tells nothing of who has an account, tokens that can be ended, and what happened to an account.

-- Failures are counted by what was typed, whether or not it names anybody, so that a lockout is no evidence of an account.
drop table login_attempts;
create table login_attempts (
  -- '' counts the failures of all sources together.
  source text not null,
  -- SHA-256 of the username or address as it was typed, in lower case: people type passwords there by mistake.
  identifier bytea not null
    constraint login_identifier_is_sha256 check (octet_length(identifier) = 32),
  attempts integer not null
    constraint attempts_are_counted_from_zero check (attempts >= 0),
  locked_until timestamptz(3),
  expires_at timestamptz(3) not null,
  constraint attempts_are_counted_per_source_and_identifier primary key (source, identifier)
);
create index login_attempts_by_expiry on login_attempts (expires_at);

-- Where a person has proven to be themselves: the limit over all sources does not shut these out.
create table known_sources (
  user_id text not null
    constraint known_source_is_of_a_user references users (id) on delete cascade,
  source text not null,
  first_seen timestamptz(3) not null default now(),
  last_seen timestamptz(3) not null default now(),
  constraint known_source_is_kept_once primary key (user_id, source)
);
create index known_sources_by_age on known_sources (last_seen);

-- Tokens of POST /api/login that were signed out before their time; kept until the last of them would have expired.
create table ended_logins (
  login uuid constraint login_ends_once primary key,
  user_id text not null
    constraint ended_login_is_of_a_user references users (id) on delete cascade,
  expires_at timestamptz(3) not null
);
create index ended_logins_by_expiry on ended_logins (expires_at);
create index ended_logins_of_a_user on ended_logins (user_id);

create table account_events (
  id bigint generated always as identity constraint account_events_are_known_by_id primary key,
  -- No foreign key, because it outlives the account; '' is a name that nobody has.
  user_id text not null,
  at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  kind text not null,
  count integer not null default 1
    constraint account_event_happened_at_least_once check (count >= 1),
  source text not null default '',
  user_agent text not null default '',
  details jsonb not null default '{}'
    constraint account_event_details_are_an_object check (jsonb_typeof(details) = 'object'),
  -- The hour in which repetitions are counted instead of kept one by one; null for what is kept one by one.
  bucket timestamptz(3),
  constraint repetitions_of_an_hour_are_one_event unique (user_id, kind, source, bucket)
);
comment on table account_events is
  'What happened to accounts, which belong to no namespace: for the person and for whoever runs the server.';
create index account_events_of_a_user on account_events (user_id, last_at desc, id desc);
create index account_events_by_age on account_events (last_at, id);

-- Whose access has changed lately: server processes look here every second for the sake of answers that go on, such as
-- live streams. Whoever changes the rows below, by whatever program, is noticed.
create table access_changes (
  id bigint generated always as identity constraint access_changes_are_known_by_id primary key,
  user_id text not null,
  at timestamptz(3) not null default now()
);
create index access_changes_by_age on access_changes (at);

create function note_access_changes() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into access_changes (user_id) select distinct user_id from touched;
  return null;
end $$;
create function note_account_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into access_changes (user_id) values (old.id);
  return null;
end $$;
create trigger ended_browser_sessions_are_noted after delete on refresh_tokens
  referencing old table as touched for each statement execute function note_access_changes();
create trigger ended_logins_are_noted after insert on ended_logins
  referencing new table as touched for each statement execute function note_access_changes();
create trigger ended_memberships_are_noted after delete on members
  referencing old table as touched for each statement execute function note_access_changes();
create trigger changed_memberships_are_noted after update on members
  referencing old table as touched for each statement execute function note_access_changes();
create trigger ended_tokens_are_noted after update of token_epoch, status on users for each row
  when ((old.token_epoch, old.status) is distinct from (new.token_epoch, new.status))
  execute function note_account_change();
create trigger removed_accounts_are_noted after delete on users for each row execute function note_account_change();
