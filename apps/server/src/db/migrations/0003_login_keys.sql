-- The key that existing agents take logins by: the gateway offers it, and the agent has `POST /api/auth/ssh` sign with it.
create table login_keys (
  tenant_id uuid constraint login_key_is_the_only_one_of_a_namespace primary key
    constraint login_key_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  -- MD5 of the public key's wire encoding, as those agents name keys.
  fingerprint text not null
    constraint login_key_fingerprint_is_16_pairs_of_hex check (fingerprint ~ '^([0-9a-f]{2}:){15}[0-9a-f]{2}$'),
  -- Private key in PKCS#8 PEM, sealed with BOWLINE_SECRET_KEY.
  sealed bytea not null,
  created_at timestamptz(3) not null default now()
);
call isolate_by_tenant('login_keys');
grant select, insert on login_keys to bowline_app;
