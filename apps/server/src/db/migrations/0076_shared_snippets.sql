-- Snippets of a namespace: texts that its members insert into terminals.

create table shared_snippets (
  id uuid constraint snippets_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint snippet_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null
    constraint snippet_name_has_1_to_80_characters check (char_length(name) between 1 and 80),
  -- Without what a terminal acts on: no control characters but the ends of lines, and none at the end, which would be Enter.
  text text not null
    constraint snippet_text_has_1_to_4000_characters check (char_length(text) between 1 and 4000)
    constraint snippet_text_has_no_control_characters check (text !~ '[\u0001-\u0009\u000b-\u001f\u007f-\u009f]')
    constraint snippet_does_not_press_enter check (right(text, 1) <> chr(10)),
  -- Devices that it is offered on; none: all.
  tags text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  created_by text
    constraint snippet_was_created_by_an_account references users (id) on delete set null,
  -- User names at the time.
  created_by_name text not null,
  changed_at timestamptz(3) not null default now(),
  changed_by text
    constraint snippet_was_changed_by_an_account references users (id) on delete set null,
  changed_by_name text not null,
  constraint snippet_has_a_name_of_its_own unique (tenant_id, name)
);
create index snippets_created_by_an_account on shared_snippets (created_by);
create index snippets_changed_by_an_account on shared_snippets (changed_by);
call isolate_by_tenant('shared_snippets');
grant select, insert, update, delete on shared_snippets to bowline_app;
