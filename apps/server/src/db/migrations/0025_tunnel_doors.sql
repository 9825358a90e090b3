-- Who may enter a tunnel, and how the server speaks to the service behind it.

alter table tunnels
  add column door text not null default 'none'
    constraint tunnel_door_is_known check (door in ('none', 'namespace', 'password')),
  -- argon2id, as for accounts.
  add column password_hash text,
  -- '' keeps the host that the client has asked for.
  add column host_header text not null default '',
  add column tls text not null default 'none'
    constraint tunnel_tls_is_known check (tls in ('none', 'verify', 'insecure')),
  add column http2 boolean not null default false,
  add constraint tunnel_with_a_password_door_has_one check (door <> 'password' or password_hash is not null);
