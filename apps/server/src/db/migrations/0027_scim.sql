-- Provisioning of a namespace's members by its identity provider (SCIM 2.0).

create table scim_settings (
  tenant_id uuid
    constraint namespace_has_one_row_of_scim_settings primary key
    constraint scim_settings_are_of_a_namespace references namespaces (tenant_id) on delete cascade,
  enabled boolean not null default false,
  -- Invitations go out by mail; else people join by single sign-on, or accept in the console.
  mails boolean not null default true,
  -- Of people in no group that has a role.
  default_role text not null default 'observer'
    constraint scim_default_role_is_known check (default_role in ('administrator', 'operator', 'observer'))
);
call isolate_by_tenant('scim_settings');
grant select, insert, update, delete on scim_settings to bowline_app;

-- Groups of the provider, by name, and the role that they give. The group need not exist yet.
create table scim_roles (
  tenant_id uuid not null
    constraint scim_role_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  -- Name in lower case.
  group_key text not null,
  group_name text not null,
  role text not null
    constraint scim_role_is_known check (role in ('administrator', 'operator', 'observer')),
  constraint group_has_one_role primary key (tenant_id, group_key)
);
call isolate_by_tenant('scim_roles');
grant select, insert, update, delete on scim_roles to bowline_app;

create table scim_tokens (
  id uuid constraint scim_tokens_are_known_by_id primary key,
  tenant_id uuid not null
    constraint scim_token_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null,
  -- SHA-256 of the token, which is shown once and never stored.
  token_hash bytea not null
    constraint scim_token_is_unique unique
    constraint scim_token_hash_is_sha256 check (octet_length(token_hash) = 32),
  created_by text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  constraint scim_token_name_is_unique_in_its_namespace unique (tenant_id, name),
  constraint scim_token_maker_is_a_member
    foreign key (tenant_id, created_by) references members (tenant_id, user_id) on delete cascade
);
create index scim_tokens_of_a_maker on scim_tokens (tenant_id, created_by);
call isolate_by_tenant('scim_tokens');
grant select, insert, update, delete on scim_tokens to bowline_app;

-- People as the provider describes them: nothing of this reaches their accounts.
create table scim_people (
  tenant_id uuid not null
    constraint scim_person_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  id uuid not null,
  user_name text not null,
  -- In lower case.
  user_name_key text not null,
  external_id text,
  -- In lower case.
  email text not null,
  display_name text not null default '',
  given_name text not null default '',
  family_name text not null default '',
  -- The membership, accepted or pending; null while the person is not active.
  user_id text,
  -- Account whose membership the provider has ended, and may restore.
  former_user text
    constraint former_scim_member_is_a_user references users (id) on delete set null,
  created_at timestamptz(3) not null,
  changed_at timestamptz(3) not null,
  constraint scim_people_are_known_by_id primary key (tenant_id, id),
  constraint scim_user_name_is_unique_in_its_namespace unique (tenant_id, user_name_key),
  constraint member_is_one_scim_person unique (tenant_id, user_id),
  -- An invitation of a placeholder may pass to the account that has proven the address.
  constraint scim_person_is_a_member
    foreign key (tenant_id, user_id) references members (tenant_id, user_id)
    on update cascade on delete set null (user_id)
);
create index scim_people_in_order on scim_people (tenant_id, created_at, id);
create index scim_people_by_external_id on scim_people (tenant_id, external_id) where external_id is not null;
create index scim_people_by_email on scim_people (tenant_id, email);
create index former_scim_members on scim_people (former_user) where former_user is not null;
call isolate_by_tenant('scim_people');
grant select, insert, update, delete on scim_people to bowline_app;

create table scim_groups (
  tenant_id uuid not null
    constraint scim_group_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  id uuid not null,
  name text not null,
  -- In lower case.
  name_key text not null,
  external_id text,
  created_at timestamptz(3) not null,
  changed_at timestamptz(3) not null,
  constraint scim_groups_are_known_by_id primary key (tenant_id, id),
  constraint scim_group_name_is_unique_in_its_namespace unique (tenant_id, name_key)
);
create index scim_groups_in_order on scim_groups (tenant_id, created_at, id);
call isolate_by_tenant('scim_groups');
grant select, insert, update, delete on scim_groups to bowline_app;

create table scim_group_people (
  tenant_id uuid not null,
  group_id uuid not null,
  person_id uuid not null,
  constraint person_is_in_a_scim_group_once primary key (tenant_id, group_id, person_id),
  constraint scim_group_person_is_of_a_group
    foreign key (tenant_id, group_id) references scim_groups (tenant_id, id) on delete cascade,
  constraint scim_group_person_is_a_person
    foreign key (tenant_id, person_id) references scim_people (tenant_id, id) on delete cascade
);
create index scim_groups_of_a_person on scim_group_people (tenant_id, person_id);
call isolate_by_tenant('scim_group_people');
grant select, insert, update, delete on scim_group_people to bowline_app;

-- The last changes that providers asked for, and what was refused, for administrators who set provisioning up.
create table scim_requests (
  id bigint generated always as identity constraint scim_requests_are_known_by_id primary key,
  tenant_id uuid not null
    constraint scim_request_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  at timestamptz(3) not null,
  token_name text not null,
  method text not null,
  path text not null,
  status integer not null,
  detail text not null
);
create index scim_requests_of_a_namespace on scim_requests (tenant_id, id);
call isolate_by_tenant('scim_requests');
grant select, insert, delete on scim_requests to bowline_app;
