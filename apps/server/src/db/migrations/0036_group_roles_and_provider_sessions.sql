-- Roles that groups of the sign-in providers give.

alter table sign_in_settings add column group_attribute text not null default 'groups';

-- The namespace and role of a group.
create table group_roles (
  -- Null for SAML.
  provider_id uuid constraint group_role_is_of_a_provider references openid_providers (id) on delete cascade,
  -- Value of the attribute or claim, compared as it is.
  group_name text not null constraint group_of_a_role_is_named check (group_name <> ''),
  tenant_id uuid not null
    constraint group_role_is_in_a_namespace references namespaces (tenant_id) on delete cascade,
  role text not null
    constraint group_role_is_known check (role in ('administrator', 'operator', 'observer')),
  constraint group_has_one_role_in_a_namespace unique nulls not distinct (provider_id, group_name, tenant_id)
);
create index group_roles_in_a_namespace on group_roles (tenant_id);
call isolate_by_tenant('group_roles');
grant select on group_roles to bowline_app;

-- Memberships that a provider's groups have made. All others are made by hand, or by SCIM.
create table provided_members (
  tenant_id uuid not null,
  user_id text not null,
  -- Null for SAML. A membership whose provider is removed stays, as one made by hand.
  provider_id uuid constraint provided_member_is_of_a_provider references openid_providers (id) on delete cascade,
  constraint member_is_provided_once primary key (tenant_id, user_id),
  constraint provided_member_is_a_member
    foreign key (tenant_id, user_id) references members (tenant_id, user_id) on update cascade on delete cascade
);
create index provided_members_of_a_user on provided_members (user_id);
create index provided_members_of_a_provider on provided_members (provider_id);
call isolate_by_tenant('provided_members');
grant select on provided_members to bowline_app;

-- Null for SAML, and for proposals of the version before, which live for an hour.
alter table identity_proposals add column provider_id uuid
  constraint identity_proposal_is_of_a_provider references openid_providers (id) on delete cascade;
create index identity_proposals_of_a_provider on identity_proposals (provider_id);

-- Sessions at OpenID providers that sign-ins came of: a provider ends them by a logout token, and signing out there needs
-- the ID token.
create table provider_sessions (
  id uuid constraint provider_sessions_are_known_by_id primary key,
  provider_id uuid not null
    constraint provider_session_is_at_a_provider references openid_providers (id) on delete cascade,
  user_id text not null
    constraint provider_session_is_of_a_user references users (id) on delete cascade,
  subject text not null,
  -- Null where ID tokens have none.
  sid text,
  -- SHA-256 of the cookie of the browser.
  browser_hash bytea not null
    constraint provider_session_browser_is_sha256 check (octet_length(browser_hash) = 32),
  -- ID token, sealed with the instance's key; null for one that is too large for an address.
  sealed bytea,
  -- Null until the last factor is proven. It may have ended: its person may sign out at the provider then.
  sign_in uuid,
  created_at timestamptz(3) not null
);
create index provider_sessions_of_a_subject on provider_sessions (provider_id, subject);
create index provider_sessions_by_sid on provider_sessions (provider_id, sid) where sid is not null;
create index provider_sessions_of_a_browser on provider_sessions (browser_hash, created_at);
create index provider_sessions_of_a_user on provider_sessions (user_id);
create index provider_sessions_by_age on provider_sessions (created_at);

-- What is not a sign-in yet ends with its session at the provider.
alter table exchange_tokens add column provider_session uuid
  constraint exchange_token_is_of_a_provider_session references provider_sessions (id) on delete cascade;
create index exchange_tokens_of_a_provider_session on exchange_tokens (provider_session);
alter table identity_proposals add column provider_session uuid
  constraint identity_proposal_is_of_a_provider_session references provider_sessions (id) on delete cascade;
create index identity_proposals_of_a_provider_session on identity_proposals (provider_session);
alter table pending_sign_ins add column provider_session uuid
  constraint pending_sign_in_is_of_a_provider_session references provider_sessions (id) on delete cascade;
create index pending_sign_ins_of_a_provider_session on pending_sign_ins (provider_session);

-- A namespace that stops or begins to ask for the second factor closes its windows.
grant delete on factor_windows to bowline_app;
