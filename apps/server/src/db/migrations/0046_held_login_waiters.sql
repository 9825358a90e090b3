-- Clients that wait for one approval, over all nodes: the last that leaves takes the request with it, no other does.

alter table held_logins
  add column waiting integer not null default 1
    constraint held_login_is_waited_for check (waiting >= 0);
-- Counts of what a namespace has waiting.
create index held_logins_of_a_namespace on held_logins (tenant_id, expires_at);
