-- Keys with which devices register: what they are tagged with, and whether they are accepted at once.
create table install_keys (
  tenant_id uuid not null
    constraint install_key_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null,
  -- SHA-256 of the key's text; the key itself is shown once and never stored.
  key_hash bytea not null
    constraint install_key_is_unique unique
    constraint install_key_hash_is_sha256 check (octet_length(key_hash) = 32),
  accepts boolean not null,
  tags text[] not null,
  max_uses integer constraint install_key_has_uses check (max_uses > 0),
  uses integer not null default 0,
  expires_at timestamptz(3),
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  constraint install_key_name_is_unique_in_its_namespace primary key (tenant_id, name),
  constraint install_key_is_not_used_up check (max_uses is null or uses <= max_uses)
);
comment on table install_keys is 'A key belongs to the namespace: it outlives the membership of its creator.';
call isolate_by_tenant('install_keys');
grant select, insert, update, delete on install_keys to bowline_app;
