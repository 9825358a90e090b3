-- Devices in the order in which people count: device-2 before device-10.

do $$
begin
  create collation by_number (provider = icu, locale = 'und-u-kn-true');
exception when feature_not_supported then
  -- A PostgreSQL that was built without ICU: digits are compared one by one.
  create collation by_number from "C";
end $$;

drop index devices_of_a_namespace_by_name;
create index devices_of_a_namespace_by_name
  on devices (tenant_id, kind, status, name collate by_number desc, uid);
