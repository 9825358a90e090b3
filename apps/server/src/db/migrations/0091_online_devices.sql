-- Lists by the time a device was last seen begin with the devices that are online, in the order of their connections.
create index online_devices_by_last_seen on devices (tenant_id, kind, status, last_seen desc, uid)
  where disconnected_at is null;
