-- Keys, rules, tunnels, connectors, announcements, and the devices that were removed.

create table api_keys (
  tenant_id uuid not null
    constraint api_key_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null,
  -- SHA-256 of the key's text; the key itself is shown once and never stored.
  key_hash bytea not null
    constraint api_key_is_unique unique
    constraint api_key_hash_is_sha256 check (octet_length(key_hash) = 32),
  role text not null
    constraint api_key_role_is_known check (role in ('owner', 'administrator', 'operator', 'observer')),
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  constraint api_key_name_is_unique_in_its_namespace primary key (tenant_id, name)
);
comment on column api_keys.created_by is 'The key never has a higher role than this member has now.';
call isolate_by_tenant('api_keys');
grant select, insert, update, delete on api_keys to bowline_app;

-- Which devices a key or a rule is for: a pattern of the name, or tags; exactly one of both.
create table public_keys (
  tenant_id uuid not null
    constraint public_key_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  fingerprint text not null
    constraint fingerprint_is_16_pairs_of_hex check (fingerprint ~ '^([0-9a-f]{2}:){15}[0-9a-f]{2}$'),
  -- SSH wire encoding of the key.
  blob bytea not null,
  data text not null,
  name text not null,
  username text not null,
  hostname text,
  tags text[]
    constraint public_key_has_one_to_three_tags check (cardinality(tags) between 1 and 3),
  created_at timestamptz(3) not null default now(),
  constraint public_key_is_unique_in_its_namespace primary key (tenant_id, fingerprint),
  constraint public_key_is_for_a_pattern_or_tags check (num_nonnulls(hostname, tags) = 1)
);
call isolate_by_tenant('public_keys');
grant select, insert, update, delete on public_keys to bowline_app;

create table firewall_rules (
  id integer generated always as identity constraint firewall_rules_are_known_by_id primary key,
  tenant_id uuid not null
    constraint rule_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  action text not null
    constraint rule_action_is_known check (action in ('allow', 'deny')),
  active boolean not null,
  priority integer not null
    constraint rule_priority_is_not_negative check (priority >= 0),
  source_ip text not null,
  username text not null,
  hostname text,
  tags text[]
    constraint rule_has_one_to_three_tags check (cardinality(tags) between 1 and 3),
  created_at timestamptz(3) not null default now(),
  constraint rule_is_for_a_pattern_or_tags check (num_nonnulls(hostname, tags) = 1)
);
create index rules_of_a_namespace_by_priority on firewall_rules (tenant_id, priority, id);
call isolate_by_tenant('firewall_rules');
grant select, insert, update, delete on firewall_rules to bowline_app;

create table tunnels (
  address text constraint tunnels_are_known_by_address primary key
    constraint tunnel_address_is_32_hex_digits check (address ~ '^[0-9a-f]{32}$'),
  tenant_id uuid not null
    constraint tunnel_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  device_uid text not null,
  host text not null,
  port integer not null
    constraint tunnel_port_is_a_port check (port between 1 and 65535),
  ttl_seconds bigint not null
    constraint tunnel_ttl_is_unlimited_or_positive check (ttl_seconds between -1 and 9223372036),
  expires_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint tunnel_is_to_a_device_of_its_namespace
    foreign key (tenant_id, device_uid) references devices (tenant_id, uid) on delete cascade,
  constraint device_has_one_tunnel_per_host_and_port unique (device_uid, host, port)
);
create index tunnels_of_a_namespace_by_device on tunnels (tenant_id, device_uid);
call isolate_by_tenant('tunnels');
grant select, insert, update, delete on tunnels to bowline_app;

create table connectors (
  uid uuid constraint connectors_are_known_by_uid primary key,
  tenant_id uuid not null
    constraint connector_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  enable boolean not null,
  address text not null,
  port integer not null
    constraint connector_port_is_a_port check (port between 0 and 65535),
  secure boolean not null,
  tls_ca text,
  tls_cert text,
  -- Sealed with BOWLINE_SECRET_KEY.
  tls_key bytea,
  status_state text not null default 'disconnected',
  status_message text not null default '',
  created_at timestamptz(3) not null default now(),
  constraint connector_has_all_of_its_tls_or_none check (num_nulls(tls_ca, tls_cert, tls_key) in (0, 3))
);
create index connectors_of_a_namespace on connectors (tenant_id, created_at, uid);
call isolate_by_tenant('connectors');
grant select, insert, update, delete on connectors to bowline_app;

-- Cloud without an active subscription: a removed device can come back within 30 days, others cannot take its place.
create table removed_devices (
  tenant_id uuid not null
    constraint removed_device_was_of_a_namespace references namespaces (tenant_id) on delete cascade,
  uid text not null,
  removed_at timestamptz(3) not null default now(),
  -- The device as it was, in the columns of the table devices.
  device jsonb not null,
  constraint device_is_removed_once primary key (tenant_id, uid)
);
call isolate_by_tenant('removed_devices');
grant select, insert, update, delete on removed_devices to bowline_app;

create table announcements (
  uuid uuid constraint announcements_are_known_by_uuid primary key,
  title text not null
    constraint announcement_title_has_at_most_90_characters check (length(title) between 1 and 90),
  content text not null,
  date timestamptz(3) not null default now()
);
comment on table announcements is 'Of the instance, for everybody; written by the command line only.';
create index announcements_by_date on announcements (date, uuid);

-- Set while a cloud namespace has a customer with the payment provider.
alter table namespaces add billing jsonb
  constraint namespace_billing_is_an_object check (jsonb_typeof(billing) = 'object');
-- Who made the invitation valid, in cloud edition: SHA-256 of the link's signature.
alter table members add invite_hash bytea
  constraint invite_hash_is_sha256 check (octet_length(invite_hash) = 32);

-- The sessions that are looked at for 'most used' and for lists by device.
create index sessions_of_a_namespace_by_device on sessions (tenant_id, device_uid, last_seen desc);
