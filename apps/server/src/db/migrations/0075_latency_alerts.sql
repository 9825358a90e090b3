-- Alert rules about the round trip of the connections of devices.

alter table alert_rules
  drop constraint alert_condition_is_known,
  add constraint alert_condition_is_known
    check (condition in ('offline', 'many-offline', 'back', 'disk', 'memory', 'load', 'latency')),
  -- Not in threshold: servers of earlier versions take each rule that has one for a rule about a value that they know. They
  -- evaluate this one as a rule about presence, and find nothing after infinity.
  add column latency_ms integer
    constraint alert_latency_is_positive check (latency_ms > 0),
  add constraint alert_has_a_latency_for_latency check ((condition = 'latency') = (latency_ms is not null)),
  drop constraint alert_with_threshold_has_no_events,
  add constraint alert_with_threshold_has_no_events
    check ((threshold is not null or latency_ms is not null) = (evaluated_to = 'infinity'));
comment on column alert_rules.latency_ms is 'Milliseconds at which a rule about latency fires; null: a rule about something else.';
