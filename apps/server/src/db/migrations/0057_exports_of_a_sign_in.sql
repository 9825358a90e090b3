-- A link to an archive ends with the sign-ins of whoever asked for it: a changed password, or the end of all sessions, takes
-- it from a thief who was signed in. Links from before belong to none.
alter table account_exports add column token_epoch integer not null default -1;
alter table namespace_exports add column token_epoch integer not null default -1;
