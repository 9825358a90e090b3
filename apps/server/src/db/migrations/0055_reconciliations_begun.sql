-- A process that dies while it compares leaves the day to another one.
alter table billing_reconciliations add column began_at timestamptz(3) not null default now();
