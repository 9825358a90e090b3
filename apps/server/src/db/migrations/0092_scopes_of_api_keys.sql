alter table api_keys add column scopes text[]
  constraint scopes_are_some check (cardinality(scopes) > 0 and array_position(scopes, null) is null);
comment on column api_keys.scopes is 'Areas of the API that the key is limited to, beside its role; null: none.';
