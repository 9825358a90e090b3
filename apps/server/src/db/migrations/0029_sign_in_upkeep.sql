-- Upkeep of single sign-on: warnings before a certificate of the identity provider ends, signing out at a provider,
-- linking by mail.

-- The last warning about each certificate.
create table certificate_warnings (
  -- SHA-256 of the certificate.
  fingerprint bytea constraint certificate_warning_is_known_by_its_fingerprint primary key
    constraint certificate_fingerprint_is_sha256 check (octet_length(fingerprint) = 32),
  -- Days before its end: of several warnings, the smallest number so far.
  days integer not null,
  ends_at timestamptz(3) not null
);
create index certificate_warnings_by_end on certificate_warnings (ends_at);

-- People who sign out are offered to sign out at the provider too.
alter table openid_providers add column sign_out boolean not null default true;

-- The owner of the account may prove to be the same person by a mailed link.
alter table identity_proposals
  -- SHA-256 of the link's token; null until the mail is asked for.
  add column proof_hash bytea constraint identity_proof_is_unique unique
    constraint identity_proof_hash_is_sha256 check (octet_length(proof_hash) = 32);
