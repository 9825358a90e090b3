-- Passkeys: public keys of people's authenticators.

create table passkeys (
  id uuid constraint passkeys_are_known_by_id primary key,
  user_id text not null
    constraint passkey_is_of_a_user references users (id) on delete cascade,
  -- Chosen by the authenticator.
  credential_id bytea not null
    constraint credential_is_registered_once unique
    constraint credential_id_has_a_length_of_webauthn check (octet_length(credential_id) between 1 and 1023),
  -- COSE key.
  public_key bytea not null,
  -- Highest one seen. Passkeys of password managers stay at 0.
  sign_count bigint not null default 0
    constraint sign_count_starts_at_zero check (sign_count >= 0),
  transports text[] not null default '{}',
  -- Model of the authenticator; zeros where it does not tell.
  aaguid uuid not null,
  -- True for keys that a password manager may copy to other devices.
  multi_device boolean not null,
  backed_up boolean not null,
  name text not null
    constraint passkey_has_a_name check (name <> ''),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkeys_of_a_user on passkeys (user_id, created_at, id);

-- Challenges that a passkey has signed. Those that are out are not stored: they carry their own proof.
create table used_challenges (
  -- SHA-256 of the challenge.
  hash bytea constraint challenge_works_once primary key
    constraint challenge_hash_is_sha256 check (octet_length(hash) = 32),
  expires_at timestamptz(3) not null
);
create index used_challenges_by_expiry on used_challenges (expires_at);
