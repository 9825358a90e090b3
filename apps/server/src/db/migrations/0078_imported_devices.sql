-- Devices that came from another server with their keys. Their agents still send the tokens of that server, which name the
-- device and prove nothing.
alter table devices add column imported_at timestamptz(3);
comment on column devices.imported_at is 'When it was taken over from another server; null: it was not.';
