-- Server processes of this installation. A node's row is its lease: it holds the links of devices whose link_node names
-- it for as long as its heartbeat is recent, so that presence costs one row per node and not one per device.

create table nodes (
  id text constraint nodes_are_known_by_id primary key
    constraint node_id_is_short check (length(id) between 1 and 64),
  -- Distinguishes the runs of one node; only the run that wrote the row may renew it.
  life uuid not null,
  -- host:port that the other nodes dial; '' for a node that runs by itself.
  address text not null default '',
  -- SHA-256 of the public key that the node shows to the others, base64; '' for a node that runs by itself.
  key_pin text not null default '',
  version text not null,
  started_at timestamptz(3) not null default now(),
  heartbeat_at timestamptz(3) not null default now(),
  draining boolean not null default false,
  links integer not null default 0,
  sessions integer not null default 0,
  -- Namespaces whose live events somebody reads at this node; null: too many to list, so all.
  listening uuid[] default '{}',
  -- Another node found the heartbeat too old and closed what this one had held. The run cannot renew its row any more.
  lost_at timestamptz(3)
);
-- Whether a device is online follows from the heartbeat of the node that holds its link. Of nodes a namespace learns
-- nothing else, so the tenant role asks through a function.
create function node_heartbeats(out id text, out heartbeat_at timestamptz)
  returns setof record
  language sql stable security definer rows 4
  set search_path = public, pg_temp as $$
  select node.id, node.heartbeat_at from nodes node where node.lost_at is null
$$;
grant execute on function node_heartbeats to bowline_app;
grant create on schema public to bowline_system;
alter function node_heartbeats owner to bowline_system;
revoke create on schema public from bowline_system;

create index devices_by_node_of_their_link on devices (link_node) where link_node <> '';
create index open_sessions_by_node on sessions (node) where closed_at is null;

-- What nodes tell each other: live events, and what only the node that holds something can do. Rows are read by id, in
-- the order of their transactions, and deleted after some minutes.
create table node_messages (
  id bigint generated always as identity constraint node_messages_are_read_by_id primary key,
  -- Node that wrote it and has applied it already.
  node text not null,
  body jsonb not null constraint node_message_is_an_object check (jsonb_typeof(body) = 'object'),
  at timestamptz(3) not null default now()
);
create index node_messages_by_age on node_messages (at);

-- Work that one node at a time does.
create table job_leases (
  job text constraint jobs_are_leased_by_name primary key,
  node text not null,
  leased_until timestamptz(3) not null
);

-- Tickets of web terminals, redeemed once by whichever node the browser's WebSocket reaches.
create table terminal_tickets (
  -- SHA-256 of the ticket.
  ticket_hash bytea constraint terminal_tickets_are_known_by_hash primary key
    constraint ticket_hash_is_sha256 check (length(ticket_hash) = 32),
  -- Sealed under a key made of the ticket itself, which is stored nowhere.
  sealed bytea not null,
  kind text not null,
  source text not null,
  expires_at timestamptz(3) not null
);
create index terminal_tickets_by_age on terminal_tickets (expires_at);
create index terminal_tickets_of_a_source on terminal_tickets (kind, source);
