-- Codes by which members add devices that know no namespace yet.
create table pairings (
  -- SHA-256 of the agent's secret.
  device_hash bytea constraint pairings_are_known_by_their_secret primary key
    constraint pairing_secret_hash_is_sha256 check (octet_length(device_hash) = 32),
  -- SHA-256 of the code that people type.
  code_hash bytea not null constraint pairing_code_is_unique unique
    constraint pairing_code_hash_is_sha256 check (octet_length(code_hash) = 32),
  public_key text not null,
  -- Of the key, as `ssh-keygen -l` prints it.
  fingerprint text not null,
  mac text not null,
  hostname text,
  info jsonb not null,
  -- Time that the device's signature states.
  signed_at timestamptz(3) not null,
  address text not null,
  source text not null,
  network cidr not null generated always as
    (network(set_masklen(source::inet, case family(source::inet) when 4 then 24 else 48 end))) stored,
  wide_network cidr not null generated always as
    (network(set_masklen(source::inet, case family(source::inet) when 4 then 24 else 32 end))) stored,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  polled_at timestamptz(3),
  -- The namespace whose member used the code; no other sees it from then on.
  claimed_by uuid constraint pairing_is_claimed_by_a_namespace references namespaces (tenant_id) on delete cascade,
  -- Set once the namespace has the device.
  device_uid text,
  constraint paired_device_is_of_a_namespace check (device_uid is null or claimed_by is not null)
);
create unique index a_key_waits_under_one_code on pairings (fingerprint) where claimed_by is null;
create index pairings_by_expiry on pairings (expires_at);
create index pairings_of_a_source on pairings (source, expires_at);
create index pairings_of_a_network on pairings (network, expires_at);
create index pairings_of_a_namespace on pairings (claimed_by) where claimed_by is not null;
