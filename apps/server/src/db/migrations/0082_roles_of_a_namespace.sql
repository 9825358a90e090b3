-- Roles that a namespace makes for itself, beside the four that every namespace has.

create table namespace_roles (
  id uuid constraint roles_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint role_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null
    constraint role_name_has_1_to_60_characters check (char_length(name) between 1 and 60),
  permissions text[] not null
    constraint role_has_a_permission check (cardinality(permissions) > 0),
  -- On devices with one of these only; null: everywhere.
  tags text[]
    constraint role_has_a_tag_or_is_not_limited check (cardinality(tags) > 0),
  created_at timestamptz(3) not null default now(),
  -- For the key of members' roles, by which both are of the same namespace.
  constraint role_is_of_one_namespace unique (tenant_id, id)
);
create unique index role_has_a_name_of_its_own on namespace_roles (tenant_id, lower(name));
call isolate_by_tenant('namespace_roles');
grant select, insert, update, delete on namespace_roles to bowline_app;

create table member_roles (
  tenant_id uuid not null,
  user_id text not null,
  role_id uuid not null,
  constraint member_has_a_role_once primary key (tenant_id, user_id, role_id),
  constraint role_is_of_a_member foreign key (tenant_id, user_id) references members (tenant_id, user_id)
    on update cascade on delete cascade,
  constraint member_has_a_role_of_the_namespace foreign key (tenant_id, role_id)
    references namespace_roles (tenant_id, id) on delete cascade
);
create index members_of_a_role on member_roles (tenant_id, role_id);
call isolate_by_tenant('member_roles');
grant select, insert, delete on member_roles to bowline_app;

-- What members have open is looked at again when a role of theirs changes.
create trigger added_roles_are_noted after insert on member_roles
  referencing new table as touched for each statement execute function note_access_changes();
create trigger removed_roles_are_noted after delete on member_roles
  referencing old table as touched for each statement execute function note_access_changes();
create function note_role_changes() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into access_changes (user_id)
    select distinct user_id from member_roles
      where (tenant_id, role_id) in (select tenant_id, id from touched);
  return null;
end $$;
create trigger changed_roles_are_noted after update on namespace_roles
  referencing old table as touched for each statement execute function note_role_changes();
