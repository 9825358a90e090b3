-- Devices as an instrument: what people note about one, and one text to search.

alter table devices
  add note text not null default ''
    constraint note_has_at_most_2000_characters check (char_length(note) <= 2000),
  add fields jsonb not null default '{}'
    constraint fields_are_an_object check (jsonb_typeof(fields) = 'object');

-- Immutable as an array of texts is joined without a setting that could change; array_to_string itself is only stable,
-- because elements of other types are not.
create function joined(text[]) returns text language sql immutable parallel safe
  return array_to_string($1, ' ');
grant execute on function joined(text[]) to bowline_app, bowline_system;

alter table devices add words text not null generated always as (lower(
  name || ' ' || uid || ' ' || remote_addr || ' ' || coalesce(mac, '') || ' ' || joined(tags) || ' ' ||
  coalesce(info->>'pretty_name', '') || ' ' || coalesce(info->>'id', '') || ' ' || coalesce(info->>'arch', '') || ' ' ||
  coalesce(info->>'version', '') || ' ' || note || ' ' || fields::text
)) stored;
