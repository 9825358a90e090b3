-- Audit streams that also tell of each recording that is complete.
alter table audit_streams add column recordings boolean not null default false;
