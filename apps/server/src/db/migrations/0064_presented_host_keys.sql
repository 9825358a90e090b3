-- A host key other than the enrolled one, which the SSH server of a device without an agent presents: nothing is sent to
-- it until a member accepts that key.
alter table devices
  add column presented_host_key text
    constraint presented_host_key_is_type_and_base64 check (presented_host_key ~ '^[a-z0-9@.-]+ [A-Za-z0-9+/]+=*$'),
  add column presented_host_key_at timestamptz,
  add constraint presented_host_key_has_a_time
    check ((presented_host_key is null) = (presented_host_key_at is null)),
  add constraint presented_host_key_differs check (presented_host_key <> ssh_host_key);
comment on column devices.presented_host_key is
  'Host key that the SSH server of a device without an agent presented last, if it is not the enrolled one.';
comment on column devices.presented_host_key_at is 'When that key was presented first.';
