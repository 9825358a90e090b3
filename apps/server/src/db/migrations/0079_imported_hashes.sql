-- Accounts that came from another server keep the hash of their password until they sign in. While there are such hashes, every
-- check of a password costs as much as theirs, so that nobody learns from its time which accounts exist: each asks for that.
create index users_with_a_bcrypt_hash on users (substr(password_hash, 5, 2)) where password_hash like '$2%';
