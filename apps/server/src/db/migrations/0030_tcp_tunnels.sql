-- Tunnels of TCP connections, which have no door and of which the server sees no requests.

alter table tunnels
  add column protocol text not null default 'http'
    constraint tunnel_protocol_is_known check (protocol in ('http', 'tcp')),
  add constraint tcp_tunnel_has_no_door check (protocol = 'http' or door = 'none');

-- Part of the stable names of a device's tunnels. It stays when the device or the namespace is renamed.
alter table devices
  add column public_name text
    constraint public_name_is_part_of_a_label check (public_name ~ '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' and length(public_name) <= 57)
    constraint public_name_is_of_one_device unique;
