-- A key whose owner has left stays that person's data: whose it was is kept by id, as addresses change hands.
alter table public_keys
  add column former_user text
    constraint former_owner_is_a_user references users (id) on delete set null;
create index public_keys_of_a_former_owner on public_keys (former_user) where former_user is not null;
comment on column public_keys.former_user is 'Last owner, once they have left; null: unknown, or the account is gone.';

-- Those from before are of who has the address now, unless that account is younger than the key.
set local role bowline_system;
select set_config('bowline.closed', 'shown', true);
update public_keys set former_user = users.id
from users
where public_keys.owner is null and not public_keys.service and public_keys.former_owner <> ''
  and users.email = public_keys.former_owner and users.created_at <= public_keys.created_at;
select set_config('bowline.closed', '', true);
reset role;
