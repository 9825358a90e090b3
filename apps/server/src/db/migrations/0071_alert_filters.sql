-- Alert rules by the filter of the device list, messages that are cancelled with their rule, and what an evaluation of many
-- rules looks up.

alter table alert_rules add column filter text not null default ''
  constraint alert_filter_is_short check (char_length(filter) <= 4096);
comment on column alert_rules.filter is 'Filter of the device list, as its parameter is sent; empty: every device.';

alter table alert_deliveries drop constraint alert_delivery_state_is_known;
alter table alert_deliveries add constraint alert_delivery_state_is_known
  check (state in ('queued', 'sent', 'failed', 'cancelled'));

-- Devices that came back lately, without those that have been online for long.
create index open_presence_spans_of_a_namespace_by_start on presence_spans (tenant_id, started_at) where ended_at is null;
drop index open_presence_spans_of_a_namespace;
-- Ends that became known long after they happened are few, and in no order of their ends.
create index presence_spans_that_were_noted_late on presence_spans (tenant_id, noted_at)
  where noted_at - ended_at > interval '1 minute';
