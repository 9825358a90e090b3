-- How people look at their devices: views of a list, for one person or for the namespace, and favourite devices.

create table saved_views (
  id uuid constraint views_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint view_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  -- Null for a view of the namespace.
  user_id text,
  name text not null
    constraint view_name_has_1_to_60_characters check (char_length(name) between 1 and 60),
  list text not null
    constraint list_of_a_view_is_known check (list in ('devices', 'containers', 'sessions')),
  -- Parameters of the console's address.
  query jsonb not null
    constraint query_is_an_object check (jsonb_typeof(query) = 'object'),
  created_at timestamptz(3) not null default now(),
  -- Somebody who leaves takes their views along.
  constraint view_is_of_a_member foreign key (tenant_id, user_id) references members (tenant_id, user_id) on delete cascade,
  constraint view_has_a_name_of_its_own unique nulls not distinct (tenant_id, list, user_id, name)
);
create index views_of_a_member on saved_views (tenant_id, user_id);
call isolate_by_tenant('saved_views');
grant select, insert, update, delete on saved_views to bowline_app;

create table device_favorites (
  tenant_id uuid not null,
  user_id text not null,
  device_uid text not null
    constraint favorite_is_a_device references devices (uid) on delete cascade,
  constraint device_is_a_favorite_once primary key (tenant_id, user_id, device_uid),
  constraint favorite_is_of_a_member foreign key (tenant_id, user_id) references members (tenant_id, user_id) on delete cascade
);
create index favorites_by_device on device_favorites (device_uid);
call isolate_by_tenant('device_favorites');
grant select, insert, delete on device_favorites to bowline_app;
