-- Engines that the agent of a device reaches, instead of the server by an address.

alter table connectors
  add column device_uid text,
  add constraint connector_is_through_a_device_of_its_namespace
    foreign key (tenant_id, device_uid) references devices (tenant_id, uid) on delete cascade,
  add constraint connector_has_an_address_or_a_device
    check (device_uid is null or (address = '' and port = 0 and not secure and tls_ca is null));
create index connectors_through_a_device on connectors (tenant_id, device_uid) where device_uid is not null;
