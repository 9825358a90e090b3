-- Rules that tell people when devices go offline or come back, and the messages that they make.

-- A span may end in the past, at the last heartbeat of a node that has died: rules need the time at which it is known.
alter table presence_spans add column noted_at timestamptz(3);
comment on column presence_spans.noted_at is 'When its end was noted; null while it lasts, and for ends without a rule to tell.';

create function note_end_of_span() returns trigger language plpgsql as $$
begin
  new.noted_at := case when new.ended_at is null then null else now() end;
  return new;
end $$;
revoke execute on function note_end_of_span() from public;
create trigger ends_of_spans_are_noted before update of ended_at on presence_spans for each row
  when ((old.ended_at is null) <> (new.ended_at is null))
  execute function note_end_of_span();

create table alert_rules (
  id uuid constraint alert_rules_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null
    constraint alert_rule_is_of_a_namespace references namespaces (tenant_id) on delete cascade,
  name text not null
    constraint alert_rule_name_has_1_to_60_characters check (char_length(name) between 1 and 60),
  active boolean not null default true,
  condition text not null
    constraint alert_condition_is_known check (condition in ('offline', 'many-offline', 'back')),
  minutes integer not null
    constraint alert_minutes_are_positive check (minutes > 0),
  -- Fewest devices, of many-offline.
  devices integer
    constraint alert_has_a_number_of_devices_for_many check ((condition = 'many-offline') = (devices is not null)),
  tags text[] not null default '{}',
  target text not null
    constraint alert_target_is_known check (target in ('mail', 'webhook', 'slack')),
  -- Members who get mails.
  recipients text[] not null default '{}',
  host text not null default '',
  -- The address is a secret: whoever has that of a Slack channel writes into it.
  sealed_url bytea
    constraint alert_has_an_address_unless_it_mails check ((target = 'mail') = (sealed_url is null)),
  sealed_secret bytea
    constraint webhooks_have_a_secret check ((target = 'webhook') = (sealed_secret is not null)),
  created_at timestamptz(3) not null default now(),
  -- What happened until then has been told.
  evaluated_to timestamptz(3) not null default now(),
  fired_at timestamptz(3),
  failing_since timestamptz(3),
  disabled_reason text
);
create index alert_rules_of_a_namespace on alert_rules (tenant_id, created_at);
call isolate_by_tenant('alert_rules');
grant select, insert, update, delete on alert_rules to bowline_app;

create table alert_deliveries (
  id uuid constraint alert_deliveries_are_known_by_id primary key default gen_random_uuid(),
  tenant_id uuid not null,
  rule_id uuid not null
    constraint delivery_is_of_an_alert_rule references alert_rules (id) on delete cascade,
  test boolean not null default false,
  text text not null,
  -- What a webhook gets.
  body jsonb not null
    constraint alert_body_is_an_object check (jsonb_typeof(body) = 'object'),
  state text not null default 'queued'
    constraint alert_delivery_state_is_known check (state in ('queued', 'sent', 'failed')),
  attempts integer not null default 0,
  answer text not null default '',
  created_at timestamptz(3) not null default now(),
  due_at timestamptz(3),
  -- A node sends it until then.
  leased_until timestamptz(3) not null default '-infinity',
  finished_at timestamptz(3),
  constraint queued_delivery_is_due check ((state = 'queued') = (due_at is not null))
);
create index alert_deliveries_of_a_rule on alert_deliveries (rule_id, created_at);
create index alert_deliveries_that_are_due on alert_deliveries (due_at) where due_at is not null;
call isolate_by_tenant('alert_deliveries');
grant select, insert, update, delete on alert_deliveries to bowline_app;
