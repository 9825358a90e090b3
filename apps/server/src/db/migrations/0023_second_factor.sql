-- The second factor by authenticator app: authenticators, recovery codes, resets by mail, and the budget of guesses.

create table authenticators (
  id uuid constraint authenticators_are_known_by_id primary key,
  user_id text not null
    constraint authenticator_is_of_a_user references users (id) on delete cascade,
  name text not null constraint authenticator_has_a_name check (name <> ''),
  -- The secret, sealed with the instance's key.
  sealed bytea not null,
  -- Number of the last 30-second step whose code was accepted: a code works once.
  last_step bigint not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index authenticators_of_a_user on authenticators (user_id, created_at, id);

-- Secrets that were generated for a person and wait to be enabled.
create table issued_secrets (
  -- SHA-256 of the secret in base32.
  secret_hash bytea constraint issued_secret_is_known_by_its_hash primary key
    constraint issued_secret_hash_is_sha256 check (octet_length(secret_hash) = 32),
  user_id text not null
    constraint issued_secret_is_of_a_user references users (id) on delete cascade,
  -- HMAC-SHA-256 of the recovery codes generated with it.
  code_hashes bytea[] not null,
  expires_at timestamptz(3) not null
);
create index issued_secrets_of_a_user on issued_secrets (user_id, expires_at);
create index issued_secrets_by_expiry on issued_secrets (expires_at);

create table recovery_codes (
  user_id text not null
    constraint recovery_code_is_of_a_user references users (id) on delete cascade,
  -- HMAC-SHA-256 with a key of the instance: the codes are short.
  code_hash bytea not null
    constraint recovery_code_hash_is_sha256 check (octet_length(code_hash) = 32),
  used_at timestamptz(3),
  constraint recovery_code_is_known_by_its_hash primary key (user_id, code_hash)
);

-- Codes mailed to both addresses of an account; both together switch its second factor off.
create table factor_resets (
  user_id text constraint account_has_one_reset primary key
    constraint reset_is_of_a_user references users (id) on delete cascade,
  main_hash bytea not null constraint main_hash_is_sha256 check (octet_length(main_hash) = 32),
  recovery_hash bytea not null constraint recovery_hash_is_sha256 check (octet_length(recovery_hash) = 32),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index factor_resets_by_expiry on factor_resets (expires_at);

-- Guesses of codes in the current window: of one source for one subject, of one source, and for one subject.
create table factor_guesses (
  -- What is guessed, such as `recover`.
  scope text not null,
  -- SHA-256 of the account or of the typed name; 32 zero bytes count all subjects of a source together.
  subject bytea not null constraint guess_subject_is_a_hash check (octet_length(subject) = 32),
  -- '' counts all sources together.
  source text not null,
  guesses integer not null constraint guesses_are_not_negative check (guesses >= 0),
  expires_at timestamptz(3) not null,
  constraint guesses_are_counted_once primary key (scope, subject, source)
);
create index factor_guesses_by_expiry on factor_guesses (expires_at);
