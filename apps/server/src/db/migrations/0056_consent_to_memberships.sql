-- Whether people whom a namespace's provider has prepared become members by signing in: the namespace alone must not make
-- anybody a member who has not said yes. Set by administrators of the server.
alter table scim_settings add column joins_at_sign_in boolean not null default false;

-- People who have left a namespace, until they accept an invitation to it: no sign-in makes them members again.
create table left_members (
  tenant_id uuid not null
    constraint left_member_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  user_id text not null
    constraint left_member_is_a_user references users (id) on delete cascade,
  constraint member_has_left_once primary key (tenant_id, user_id)
);
create index left_members_of_a_user on left_members (user_id);
call isolate_by_tenant('left_members');
grant select on left_members to bowline_app;
