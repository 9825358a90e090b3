-- Stripe keeps customers of test mode and of live mode apart: a key of one mode knows none of the other. Null: not known yet.
alter table billing_accounts add column live boolean;
