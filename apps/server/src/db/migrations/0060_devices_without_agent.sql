-- Devices that run no agent: an ssh client of theirs keeps a forwarded port open, and people reach their own SSH server.
alter table devices add column ssh_host_key text
  constraint ssh_host_key_is_type_and_base64 check (ssh_host_key ~ '^[a-z0-9@.-]+ [A-Za-z0-9+/]+=*$');
comment on column devices.ssh_host_key is
  'Host key of the SSH server of a device without an agent, as it was when the device was enrolled. Null for agents.';
