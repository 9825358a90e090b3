alter table users add column email_unproven boolean not null default false;
comment on column users.email_unproven is
  'The person has set the address on a server without mail, which could not ask for a proof: it gives no right to anything.';
