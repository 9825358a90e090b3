-- An acceptance can be undone for a while by the person who made it.

alter table devices
  -- Status before the acceptance; null: it cannot be undone, because the device has replaced another or nobody has accepted it by hand.
  add column accepted_from text
    constraint accepted_from_is_a_status check (accepted_from in ('pending', 'rejected', 'unused')),
  add column accepted_by text;
