-- A registered key belongs to a member or is a service key. One that is neither is disabled: its owner has left. That
-- way no way of ending a membership can forget the keys.
alter table public_keys
  add owner text,
  add service boolean not null default false,
  -- Address of the last owner, once they have left.
  add former_owner text not null default '',
  add constraint public_key_owner_is_a_member
    foreign key (tenant_id, owner) references members (tenant_id, user_id) on delete set null (owner),
  add constraint service_key_has_no_owner check (not (service and owner is not null));
alter table public_keys alter service drop default;
comment on column public_keys.owner is 'Null and no service key: the key is disabled.';

-- Keys that exist belong to who is known to have made them, when that is a member still.
set local role bowline_system;
update public_keys set owner = maker.user_id
from (
  select distinct on (audit_log.tenant_id, target) audit_log.tenant_id, target, actor_type, actor_id
  from audit_log where action = 'public-key.create' order by audit_log.tenant_id, target, id desc
) as made
join members as maker on maker.tenant_id = made.tenant_id and maker.user_id = made.actor_id
where made.actor_type = 'user' and maker.status = 'accepted'
  and public_keys.tenant_id = made.tenant_id and public_keys.fingerprint = made.target;
update public_keys set service = true where owner is null;
reset role;

create index public_keys_of_an_owner on public_keys (tenant_id, owner);
