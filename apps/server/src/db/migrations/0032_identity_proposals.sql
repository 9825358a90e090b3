-- What somebody may link to an account ends with what they knew of it: a new password or address, or the end of all
-- sign-ins.
create function end_identity_proposals() returns trigger language plpgsql as $$
begin
  delete from identity_proposals where user_id = new.id;
  return null;
end $$;
create trigger user_change_ends_identity_proposals after update of token_epoch, email on users
  for each row when (old.token_epoch <> new.token_epoch or old.email <> new.email)
  execute function end_identity_proposals();
