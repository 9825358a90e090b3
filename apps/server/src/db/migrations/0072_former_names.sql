-- Names that namespaces have had lately. Aliases and scripts still use them: whoever got such a name would be sent the
-- passwords that are meant for the devices of the namespace before.

create table former_namespace_names (
  name text constraint former_name_is_kept_once primary key,
  namespace uuid not null
    constraint former_name_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  kept_until timestamptz(3) not null
);
create index former_names_of_a_namespace on former_namespace_names (namespace, kept_until desc);

-- As the owner: bowline_app, which renames, sees no table of the whole instance. Only the newest five are kept, or one
-- namespace could reserve any number of names.
create function keep_former_namespace_name() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into former_namespace_names (name, namespace, kept_until)
    values (old.name, old.tenant_id, clock_timestamp() + interval '90 days')
    on conflict (name) do update set namespace = excluded.namespace, kept_until = excluded.kept_until;
  delete from former_namespace_names
    where name = new.name or kept_until <= now() or name in
      (select name from former_namespace_names where namespace = old.tenant_id order by kept_until desc offset 5);
  return null;
end $$;
create trigger renamed_namespace_keeps_its_name after update of name on namespaces
  for each row when (old.name <> new.name) execute function keep_former_namespace_name();
