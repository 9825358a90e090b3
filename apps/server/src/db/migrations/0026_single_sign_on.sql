-- Single sign-on: how people may sign in, the SAML identity provider, OpenID providers, and who is who there.

create table sign_in_settings (
  one boolean default true constraint sign_in_settings_are_one_row primary key
    constraint sign_in_settings_row_is_named_true check (one),
  local boolean not null default true,
  saml boolean not null default false,
  -- An address that a provider vouches for links an existing account without another proof.
  trust_addresses boolean not null default false,
  -- The providers ask for a second factor themselves, so that ours is not asked for as well.
  provider_second_factor boolean not null default false,
  -- The SAML provider: '' while there is none.
  entity_id text not null default '',
  signon_url text not null default '',
  -- Base64 of the DER form.
  certificates text[] not null default '{}',
  metadata_url text not null default '',
  metadata_checked_at timestamptz(3),
  metadata_failure text not null default '',
  email_attribute text not null default 'emailAddress',
  name_attribute text not null default 'displayName',
  sign_requests boolean not null default false,
  unsolicited boolean not null default false,
  -- Last successful test with the present provider; null after every change of it.
  tested_at timestamptz(3),
  constraint saml_is_on_only_after_a_test check (not saml or tested_at is not null)
);
insert into sign_in_settings default values;

-- RSA keys of this service provider; two during a rollover.
create table saml_keys (
  id uuid constraint saml_keys_are_known_by_id primary key,
  certificate text not null,
  -- Private key, sealed with the instance's key.
  sealed bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);

create table openid_providers (
  id uuid constraint openid_providers_are_known_by_id primary key,
  name text not null constraint openid_provider_name_is_unique unique,
  issuer text not null,
  client_id text not null,
  -- Client secret, sealed with the instance's key.
  sealed bytea not null,
  group_claim text not null default 'groups',
  enabled boolean not null default true,
  created_at timestamptz(3) not null
);

-- Sign-ins that are under way at a provider.
create table provider_requests (
  -- SHA-256 of the request id or of the state.
  id_hash bytea constraint provider_request_is_known_by_its_hash primary key
    constraint provider_request_hash_is_sha256 check (octet_length(id_hash) = 32),
  -- SHA-256 of the cookie of the browser that began.
  browser_hash bytea not null
    constraint provider_request_browser_is_sha256 check (octet_length(browser_hash) = 32),
  -- Null for SAML.
  provider_id uuid constraint provider_request_is_for_a_provider references openid_providers (id) on delete cascade,
  return_to text not null default '',
  -- Nonce and code verifier, sealed with the instance's key; null for SAML.
  sealed bytea,
  -- Set for a test by an administrator, which signs nobody in.
  tester text constraint provider_request_is_tested_by_a_user references users (id) on delete cascade,
  expires_at timestamptz(3) not null
);
create index provider_requests_of_a_provider on provider_requests (provider_id);
create index provider_requests_of_a_tester on provider_requests (tester);
create index provider_requests_by_expiry on provider_requests (expires_at);

-- Assertions that have been used, until they expire.
create table used_assertions (
  -- SHA-256 of issuer and id.
  hash bytea constraint assertion_is_used_once primary key
    constraint assertion_hash_is_sha256 check (octet_length(hash) = 32),
  expires_at timestamptz(3) not null
);
create index used_assertions_by_expiry on used_assertions (expires_at);

-- People of providers and their accounts.
create table identities (
  kind text not null constraint identity_kind_is_known check (kind in ('saml', 'openid')),
  issuer text not null,
  subject text not null,
  user_id text not null constraint identity_is_of_a_user references users (id) on delete cascade,
  email text not null default '',
  groups text[] not null default '{}',
  created_at timestamptz(3) not null,
  last_used timestamptz(3) not null,
  constraint identity_is_of_one_account primary key (kind, issuer, subject)
);
create index identities_of_a_user on identities (user_id);

-- Identities that wait until the owner of the account with the same address has proven to be the same person.
create table identity_proposals (
  token_hash bytea constraint identity_proposal_is_known_by_its_token primary key
    constraint identity_proposal_hash_is_sha256 check (octet_length(token_hash) = 32),
  browser_hash bytea not null
    constraint identity_proposal_browser_is_sha256 check (octet_length(browser_hash) = 32),
  kind text not null constraint identity_proposal_kind_is_known check (kind in ('saml', 'openid')),
  issuer text not null,
  subject text not null,
  email text not null,
  groups text[] not null default '{}',
  user_id text not null constraint identity_proposal_is_for_a_user references users (id) on delete cascade,
  expires_at timestamptz(3) not null
);
create index identity_proposals_for_a_user on identity_proposals (user_id);
create index identity_proposals_by_expiry on identity_proposals (expires_at);

-- One-use tokens that travel in an address after single sign-on, in place of the account's own.
create table exchange_tokens (
  token_hash bytea constraint exchange_token_is_known_by_its_hash primary key
    constraint exchange_token_hash_is_sha256 check (octet_length(token_hash) = 32),
  browser_hash bytea not null
    constraint exchange_token_browser_is_sha256 check (octet_length(browser_hash) = 32),
  user_id text not null constraint exchange_token_is_of_a_user references users (id) on delete cascade,
  token_epoch integer not null,
  expires_at timestamptz(3) not null
);
create index exchange_tokens_of_a_user on exchange_tokens (user_id);
create index exchange_tokens_by_expiry on exchange_tokens (expires_at);

alter table users drop constraint auth_methods_are_known;
alter table users add constraint auth_methods_are_known check (auth_methods <@ '{local,saml,openid}');
alter table users drop constraint user_origin_is_known;
alter table users add constraint user_origin_is_known check (origin in ('local', 'SAML', 'OpenID'));
