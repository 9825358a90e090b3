-- The ledger of recordings names the key that follows when the one that signs is replaced (recordings/keys/).
alter table recording_ledger
  drop constraint ledger_kind_is_known,
  add constraint ledger_kind_is_known
    check (kind in ('start', 'seal', 'remove', 'remove-device', 'remove-namespace', 'rotate-key'));
