-- Codes of resets and proofs of linked identities that were mailed end with the disabling of their account: whoever reads the
-- mailbox may be why it was disabled, and enabling it must not bring them back.
create function end_mailed_codes() returns trigger language plpgsql as $$
begin
  delete from factor_resets where user_id = new.id;
  delete from identity_proposals where user_id = new.id;
  return new;
end $$;
create trigger mailed_codes_end_with_their_account after update of status on users for each row
  when (new.status = 'disabled' and old.status <> 'disabled')
  execute function end_mailed_codes();
