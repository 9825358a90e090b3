-- Customers of the payment provider. What the provider says is the truth; these rows are what we knew last.

create table billing_accounts (
  tenant_id uuid constraint billing_account_is_of_a_namespace_once primary key
    constraint billing_account_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  customer_id text not null constraint customer_has_one_namespace unique,
  subscription_id text constraint subscription_has_one_namespace unique,
  status text not null default 'inactive'
    constraint subscription_status_is_known check (status in ('inactive', 'active', 'trialing', 'incomplete',
      'incomplete_expired', 'past_due', 'canceled', 'unpaid', 'paused', 'to_cancel_at_end_of_period')),
  -- End of the period that is paid.
  end_at timestamptz(3),
  -- Until then a namespace above its limit is still connected to.
  grace_until timestamptz(3),
  -- Devices that the provider bills; null: unknown.
  billed_devices integer,
  -- Numbers the reads of the provider: an older one never replaces a newer one.
  reads integer not null default 0,
  newest_read integer not null default 0,
  -- Numbers the changes at the provider, for their idempotency keys.
  changes integer not null default 0,
  -- A change at the provider is under way until then.
  busy_until timestamptz(3),
  created_at timestamptz(3) not null default now()
);
call isolate_by_tenant('billing_accounts');
grant select on billing_accounts to bowline_app;

-- Events of the provider, stored before they are answered. They carry no card data; of their content only the id of the
-- customer is kept, as the state is read from the provider.
create table billing_events (
  id text constraint billing_event_is_stored_once primary key,
  type text not null,
  customer_id text not null,
  created_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  -- Null: applied.
  due_at timestamptz(3),
  attempts integer not null default 0,
  -- Why the last attempt failed.
  failure text not null default ''
);
create index billing_events_that_are_due on billing_events (due_at) where due_at is not null;
create index billing_events_by_age on billing_events (received_at);

-- What a reconciliation found and repaired.
create table billing_differences (
  id bigint generated always as identity constraint billing_differences_are_known_by_id primary key,
  found_at timestamptz(3) not null,
  -- Not of a namespace that is left, when a customer at the provider has none.
  namespace_id text not null,
  customer_id text not null,
  field text not null,
  ours text not null,
  theirs text not null
);
create index billing_differences_by_age on billing_differences (found_at);

-- Subscriptions to be cancelled at the provider: their namespaces were removed.
create table billing_endings (
  subscription_id text constraint subscription_ends_once primary key,
  -- At once, whatever clock the servers go by.
  due_at timestamptz(3) not null default 'epoch',
  attempts integer not null default 0,
  failure text not null default ''
);

-- However a namespace is removed, what it pays ends.
create function end_subscription() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into billing_endings (subscription_id) values (old.subscription_id) on conflict do nothing;
  return old;
end $$;
revoke execute on function end_subscription() from public;
create trigger account_ends_its_subscription after delete on billing_accounts
  for each row when (old.subscription_id is not null) execute function end_subscription();

-- Nightly comparisons with the provider: whoever inserts the day's row runs it.
create table billing_reconciliations (
  day date constraint reconciliation_runs_once_a_day primary key,
  ended_at timestamptz(3),
  accounts integer not null default 0,
  differences integer not null default 0,
  failures integer not null default 0
);
