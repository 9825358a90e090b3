-- Links for new passwords. An account may have several: one that a stranger asks for must not end the owner's.
create table recovery_tokens (
  token_hash bytea constraint recovery_token_is_unique primary key
    constraint recovery_token_hash_is_sha256 check (octet_length(token_hash) = 32),
  user_id text not null
    constraint recovery_token_is_of_a_user references users (id) on delete cascade,
  -- What ends the tokens of sign-ins ends these too.
  token_epoch integer not null,
  expires_at timestamptz(3) not null
);
create index recovery_tokens_by_user on recovery_tokens (user_id);
create index recovery_tokens_by_expiry on recovery_tokens (expires_at);
