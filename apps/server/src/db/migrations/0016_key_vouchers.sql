-- Who last said whose key it is: a member could register a key of their own in somebody else's name, or as a service key,
-- and keep their access after leaving. Such keys are disabled with the membership of the one who vouched for them.
alter table public_keys add vouched_by text;
comment on column public_keys.vouched_by is 'Id of the person who named the owner last; null for the platform itself.';
set local role bowline_system;
update public_keys set vouched_by = owner where owner is not null;
reset role;
create index public_keys_vouched_for on public_keys (tenant_id, vouched_by);
