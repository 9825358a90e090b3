-- Logins by key that an existing agent is being asked for. The agent calls back, at any node of the installation, and what it
-- asks for is signed only while one waits.
create table key_logins_under_way (
  id uuid constraint key_login_is_under_way_once primary key default gen_random_uuid(),
  tenant_id uuid not null,
  device_uid text not null,
  -- Account on the device.
  username text not null,
  expires_at timestamptz(3) not null,
  constraint key_login_is_of_a_device
    foreign key (tenant_id, device_uid) references devices (tenant_id, uid) on delete cascade
);
create index key_logins_under_way_by_device on key_logins_under_way (tenant_id, device_uid);
call isolate_by_tenant('key_logins_under_way');
grant select, insert, delete on key_logins_under_way to bowline_app;
