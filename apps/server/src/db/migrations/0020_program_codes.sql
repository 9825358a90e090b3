-- Sign-ins of programs that wait for a person to approve their code (RFC 8628).
create table program_codes (
  -- SHA-256 of the program's secret.
  device_hash bytea constraint program_codes_are_known_by_their_secret primary key
    constraint program_secret_hash_is_sha256 check (octet_length(device_hash) = 32),
  -- SHA-256 of the code that people type.
  user_hash bytea not null constraint user_code_is_unique unique
    constraint user_code_hash_is_sha256 check (octet_length(user_hash) = 32),
  name text not null,
  source text not null,
  user_agent text not null default '',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  polled_at timestamptz(3),
  -- Who decided; null while nobody has.
  user_id text constraint program_code_is_approved_by_a_user references users (id) on delete cascade,
  -- Epoch of the account when it approved: a new password since then ends the approval.
  token_epoch integer,
  approved boolean,
  constraint decision_is_whole check ((user_id is null) = (approved is null) and (user_id is null) = (token_epoch is null))
);
create index program_codes_by_expiry on program_codes (expires_at);
create index program_codes_of_a_source on program_codes (source);
create index program_codes_of_a_user on program_codes (user_id);

-- Codes that a person tried and that do not exist.
create table program_code_guesses (
  user_id text constraint guesses_are_counted_per_user primary key
    constraint code_guess_is_of_a_user references users (id) on delete cascade,
  count integer not null constraint code_guesses_are_counted_from_one check (count >= 1),
  since timestamptz(3) not null
);
