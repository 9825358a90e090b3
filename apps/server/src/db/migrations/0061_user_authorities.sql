-- The key with which a namespace certifies logins by registered keys, for devices without an agent: their SSH server
-- trusts it by one line of its configuration.
create table user_authorities (
  tenant_id uuid constraint user_authority_is_the_only_one_of_a_namespace primary key
    constraint user_authority_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  -- Private key in PKCS#8 PEM, sealed with BOWLINE_SECRET_KEY.
  sealed bytea not null,
  created_at timestamptz(3) not null default now()
);
call isolate_by_tenant('user_authorities');
grant select, insert on user_authorities to bowline_app;
