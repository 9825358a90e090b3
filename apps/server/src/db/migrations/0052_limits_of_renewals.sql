-- Rows that count again, after they had expired, are within the limit of their namespace like new ones.

create trigger renewed_tunnels_are_limited after update of expires_at, tenant_id on tunnels for each row
  when (old.expires_at <= now() and (new.expires_at is null or new.expires_at > now()))
  execute function enforce_namespace_limit('tunnels', '(expires_at is null or expires_at > now())');
create trigger renewed_members_are_limited after update of status, expires_at, tenant_id on members for each row
  when (old.status <> 'accepted' and old.expires_at <= now()
    and (new.status = 'accepted' or new.expires_at is null or new.expires_at > now()))
  execute function enforce_namespace_limit('members', '(status = ''accepted'' or expires_at is null or expires_at > now())');
create trigger renewed_api_keys_are_limited after update of expires_at, tenant_id on api_keys for each row
  when (old.expires_at <= now() and (new.expires_at is null or new.expires_at > now()))
  execute function enforce_namespace_limit('api_keys', '(expires_at is null or expires_at > now())');
