-- Limits of what strangers leave waiting: codes of programs and sign-ins under way at a provider are counted per source,
-- per network of one customer (/24, /48) and, for IPv6, per wide network of one provider (/32), all made of the source.

alter table program_codes
  add column network cidr not null generated always as
    (network(set_masklen(source::inet, case family(source::inet) when 4 then 24 else 48 end))) stored,
  add column wide_network cidr not null generated always as
    (network(set_masklen(source::inet, case family(source::inet) when 4 then 24 else 32 end))) stored;
create index program_codes_of_a_network on program_codes (network, expires_at);

alter table provider_requests
  -- Null for those of the version before, which live for ten minutes.
  add column source text,
  add column network cidr generated always as
    (network(set_masklen(source::inet, case family(source::inet) when 4 then 24 else 48 end))) stored,
  add column wide_network cidr generated always as
    (network(set_masklen(source::inet, case family(source::inet) when 4 then 24 else 32 end))) stored;
create index provider_requests_of_a_source on provider_requests (source, expires_at);
create index provider_requests_of_a_network on provider_requests (network, expires_at);
create index provider_requests_of_a_browser on provider_requests (browser_hash) where source is null;
