-- Updates of agents: devices announce that a newer version takes their link over, and rollouts know for how long the
-- server has heard of devices. Also causes of ends that servers without the column for them leave behind.

alter table agent_states add column handover_until timestamptz(3);
comment on column agent_states.handover_until is 'Until then the next link of the device leaves one open that has announced it.';

alter table agent_rollouts
  add column heard_since timestamptz(3),
  add column looked_at timestamptz(3);
comment on column agent_rollouts.heard_since is 'From then on the server has heard of devices without a gap; null: it does not now.';

alter table nodes add column handover_life uuid;
comment on column nodes.handover_life is 'The run that knows handovers. Another one, of an earlier version, does not: it writes its own life and leaves this.';

-- A server of a version before 0067 claims a link without the column, and ends it without: the cause of an earlier end
-- would be told as that of this one.
create function standing_link_has_no_cause() returns trigger language plpgsql as $$
begin
  new.disconnect_cause := '';
  return new;
end $$;
revoke execute on function standing_link_has_no_cause() from public;
create trigger standing_link_has_no_cause before update of disconnected_at on devices for each row
  when (new.disconnected_at is null and new.disconnect_cause <> '')
  execute function standing_link_has_no_cause();
update devices set disconnect_cause = '' where disconnected_at is null and disconnect_cause <> '';
