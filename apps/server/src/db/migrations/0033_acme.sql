-- Certificates of the server that an authority issues by ACME: accounts, certificates with the state of their renewal,
-- and the proofs that the authority asks for. They belong to the installation; no namespace sees them.

create table acme_accounts (
  directory text not null,
  email text not null,
  -- Private key (PEM), sealed with the instance's key.
  sealed bytea not null,
  -- Address of the account at the authority; null until it is registered.
  url text,
  created_at timestamptz(3) not null,
  constraint acme_account_is_one_of_a_directory primary key (directory, email)
);

create table acme_certificates (
  use text constraint acme_certificate_has_one_use primary key
    constraint acme_certificate_use_is_known check (use in ('console', 'tunnels')),
  directory text not null,
  names text[] not null
    constraint acme_certificate_has_names check (cardinality(names) > 0),
  -- PEM chain and its private key, sealed with the instance's key; null until the first one is issued.
  chain text,
  sealed bytea,
  -- Names and directory of the issued one, which may be older than those wanted.
  issued_names text[] not null default '{}',
  issued_at timestamptz(3),
  -- Next attempt to get a new one.
  due_at timestamptz(3) not null,
  -- When the authority is asked next for the time of the renewal.
  ask_at timestamptz(3) not null,
  failures integer not null default 0
    constraint acme_failures_are_counted check (failures >= 0),
  failure text not null default '',
  failed_at timestamptz(3),
  -- Node that gets a new one, and until when it may.
  leased_by text,
  leased_until timestamptz(3),
  constraint acme_key_belongs_to_a_chain check ((chain is null) = (sealed is null))
);

create table acme_challenges (
  kind text not null
    constraint acme_challenge_kind_is_known check (kind in ('http-01', 'tls-alpn-01')),
  token text not null,
  -- Host name that is proven, in lower case.
  name text not null,
  -- Token and thumbprint of the account's key: what proves the name.
  answer text not null,
  expires_at timestamptz(3) not null,
  constraint acme_challenge_is_known_by_its_token primary key (kind, token)
);
comment on table acme_challenges is 'Proofs of orders under way, in the database so that any node can give them.';
create index acme_challenges_by_name on acme_challenges (name);
