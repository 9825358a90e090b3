-- What a hardware key says of its user counts where its owner has registered it. A program that has an API key of the owner
-- is not the owner: keys that it registers ask for the second factor as others do.
alter table public_keys add column vouched_in_person boolean not null default true;
-- Whoever does not say so, an older server among them, has not seen the person.
alter table public_keys alter column vouched_in_person set default false;
