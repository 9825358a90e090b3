-- The time that the newest registration named which the device's key has signed: older ones count for nothing, so that
-- one that was overheard cannot be sent again.
alter table devices add signed_at timestamptz(3);

-- Lists of devices that wait say which accepted device has their MAC.
create index accepted_devices_by_mac on devices (tenant_id, mac) where status = 'accepted';
