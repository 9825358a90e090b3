-- Linked identities of people: listed and removed one by one, and linked after the second step only. One-use tokens of
-- single sign-on are bound to the network of their sign-in.

alter table identities
  add column id uuid not null default gen_random_uuid() constraint identity_is_known_by_its_id unique,
  -- Null for those linked before this was kept.
  add column linked_by text
    constraint identity_link_is_known check (linked_by in ('password', 'mail', 'address', 'sign-in', 'invitation'));

-- The identity that is linked when the second step is passed.
alter table pending_sign_ins add column proposal_hash bytea
  constraint pending_sign_in_is_for_a_proposal references identity_proposals (token_hash) on delete cascade;
create index pending_sign_ins_for_a_proposal on pending_sign_ins (proposal_hash);

-- The /24 or /48 that the sign-in came from; null for tokens of the version before, which live for a minute.
alter table exchange_tokens add column network text;
