-- Members of a namespace that is closed have lost access to it: whatever they have open is looked at within a second, in every
-- process. Before the row is there, as members of closed namespaces are hidden.
create function closing_changes_access() returns trigger language plpgsql as $$
begin
  insert into access_changes (user_id) select user_id from members where tenant_id = new.tenant_id;
  return new;
end $$;
revoke execute on function closing_changes_access() from public;
create trigger members_of_a_closed_namespace_lose_access before insert on closed_namespaces
  for each row execute function closing_changes_access();
