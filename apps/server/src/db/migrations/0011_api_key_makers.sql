-- An API key ends with the membership of who made it, also when it is made at that very moment.
set local role bowline_system;
delete from api_keys where not exists (
  select from members where members.tenant_id = api_keys.tenant_id and members.user_id = api_keys.created_by
);
reset role;
alter table api_keys add constraint api_key_maker_is_a_member
  foreign key (tenant_id, created_by) references members (tenant_id, user_id) on delete cascade;
create index api_keys_of_a_maker on api_keys (tenant_id, created_by);
