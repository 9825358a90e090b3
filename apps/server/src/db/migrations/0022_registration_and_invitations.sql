-- Registration, recovery of passwords, changes of address, and invitations.

-- Registrations whose address is not proven yet. They are rows of their own, so that no password reaches an account
-- before the link of the mail has proven the address: several people may register with one address, and the account
-- gets the values of the one whose link is opened. They reserve neither address nor username.
create table registrations (
  id uuid constraint registrations_are_known_by_id primary key,
  -- SHA-256 of the token of the newest mail.
  token_hash bytea not null constraint registration_token_is_unique unique
    constraint registration_token_hash_is_sha256 check (octet_length(token_hash) = 32),
  name text not null,
  username text not null
    constraint registration_username_is_lower_case check (username = lower(username) and username <> ''),
  email text not null
    constraint registration_email_is_lower_case check (email = lower(email) and email <> ''),
  password_hash text not null,
  email_marketing boolean not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index registrations_of_a_username on registrations (username, created_at);
create index registrations_of_an_email on registrations (email, created_at);
create index registrations_by_expiry on registrations (expires_at);

-- Mails that somebody has asked for by a name. The call only writes the row, whether or not an account has the name;
-- what it leads to is found out afterwards.
create table mail_requests (
  id uuid constraint mail_requests_are_known_by_id primary key,
  kind text not null
    constraint mail_request_kind_is_known check (kind in ('confirm', 'recover')),
  identifier text not null
    constraint mail_request_identifier_is_lower_case check (identifier = lower(identifier)),
  source text not null,
  created_at timestamptz(3) not null
);
create index mail_requests_by_age on mail_requests (created_at);

-- Tokens of mails about an account: one of each purpose.
create table account_tokens (
  user_id text not null
    constraint account_token_is_of_a_user references users (id) on delete cascade,
  purpose text not null
    constraint account_token_purpose_is_known check (purpose in ('recovery', 'address')),
  token_hash bytea not null constraint account_token_is_unique unique
    constraint account_token_hash_is_sha256 check (octet_length(token_hash) = 32),
  -- What ends the tokens of sign-ins ends these too.
  token_epoch integer not null,
  expires_at timestamptz(3) not null,
  constraint user_has_one_token_of_a_purpose primary key (user_id, purpose)
);
create index account_tokens_by_expiry on account_tokens (expires_at);

alter table users add column pending_email text
  constraint pending_email_is_lower_case check (pending_email = lower(pending_email) and pending_email <> '');
comment on column users.pending_email is 'New address that its owner has not confirmed yet.';

-- How often something was done within a period: by a source, for an address, in a namespace.
create table budgets (
  name text not null,
  -- SHA-256 of what the budget belongs to.
  key bytea not null constraint budget_key_is_sha256 check (octet_length(key) = 32),
  spent integer not null,
  ends_at timestamptz(3) not null,
  constraint budget_is_known_by_key_and_name primary key (name, key)
);
create index budgets_by_end on budgets (ends_at);

alter table members
  -- Address that the invitation went to; the account must have it still.
  add column invite_email text,
  -- Whoever invited, whose rights are judged again at acceptance.
  add column inviter text constraint inviter_is_a_user references users (id) on delete set null,
  -- Invited by the operator of the server, on the command line.
  add column invited_by_operator boolean not null default false,
  -- The secret went to the address and to nobody else, so that it proves the address.
  add column invite_mailed boolean not null default false,
  add column invite_sends integer not null default 0
    constraint invitation_mails_are_counted_from_zero check (invite_sends >= 0);
create index members_of_an_inviter on members (inviter) where inviter is not null;
create unique index invitation_secret_is_unique on members (invite_hash) where invite_hash is not null;
create index invitations_by_expiry on members (expires_at) where expires_at is not null;
