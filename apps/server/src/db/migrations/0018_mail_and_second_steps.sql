-- Mail, the second step of sign-ins, and administrators of the instance.

alter table users add column is_instance_admin boolean not null default false;
comment on column users.is_instance_admin is 'Administers the server itself: its mail, its people, its certificates.';
-- Until now the first account was the one that the set-up page or the command line created.
update users set is_instance_admin = true
where id = (select id from users where status = 'confirmed' order by created_at, id limit 1);

-- A mail is written in the transaction that causes it, and sent afterwards.
create table mails (
  id uuid constraint mails_are_known_by_id primary key,
  kind text not null,
  recipient text not null
    constraint recipient_is_lower_case check (recipient = lower(recipient) and recipient <> ''),
  -- Null for an address without an account.
  user_id text constraint mail_is_about_a_user references users (id) on delete cascade,
  -- Address of whoever caused it; '' for the server itself.
  source text not null default '',
  -- What the template needs, sealed with the instance's key: links carry secrets.
  sealed bytea,
  created_at timestamptz(3) not null,
  attempts integer not null default 0
    constraint mail_attempts_are_counted_from_zero check (attempts >= 0),
  -- Null once the mail is sent or given up.
  due_at timestamptz(3),
  -- A worker holds the mail until then; another takes it over afterwards.
  leased_until timestamptz(3),
  sent_at timestamptz(3),
  failed_at timestamptz(3),
  -- What the mail server said last.
  answer text not null default '',
  constraint mail_ends_once check (sent_at is null or failed_at is null)
);
create index mails_by_due on mails (due_at) where due_at is not null;
create index mails_of_a_recipient on mails (recipient, created_at);
create index mails_of_a_source on mails (source, created_at);
create index mails_of_a_user on mails (user_id);
create index failed_mails_by_age on mails (failed_at desc, id desc) where failed_at is not null;
create index mails_by_age on mails (created_at);

-- Sign-ins that have passed the password and wait for the second factor.
create table pending_sign_ins (
  -- SHA-256 of the token.
  token_hash bytea constraint pending_sign_in_is_known_by_its_token primary key
    constraint pending_sign_in_hash_is_sha256 check (octet_length(token_hash) = 32),
  user_id text not null
    constraint pending_sign_in_is_of_a_user references users (id) on delete cascade,
  token_epoch integer not null,
  expires_at timestamptz(3) not null
);
create index pending_sign_ins_of_a_user on pending_sign_ins (user_id);
create index pending_sign_ins_by_expiry on pending_sign_ins (expires_at);

-- When a person has last used a second factor within a sign-in.
create table fresh_proofs (
  -- Family of a browser session, or the login of a token.
  sign_in text constraint sign_in_has_one_proof primary key,
  user_id text not null
    constraint fresh_proof_is_of_a_user references users (id) on delete cascade,
  at timestamptz(3) not null
);
create index fresh_proofs_of_a_user on fresh_proofs (user_id);
create index fresh_proofs_by_age on fresh_proofs (at);
