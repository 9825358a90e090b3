-- Pending devices are counted by the address that registered them, and go when they were not seen for long.
create index pending_devices_by_source on devices (tenant_id, remote_addr) where status = 'pending';
create index pending_devices_by_last_seen on devices (tenant_id, last_seen) where status = 'pending';
