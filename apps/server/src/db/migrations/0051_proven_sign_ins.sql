-- When the credential behind a sign-in was proven: a provider may sign somebody in again without asking for anything.

alter table sign_ins
  -- Null: when the sign-in began.
  add column proven_at timestamptz(3);

alter table exchange_tokens
  -- Null for a token of the version before, which lives for a minute.
  add column proven_at timestamptz(3);
