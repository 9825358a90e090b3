-- Networks as the source of a firewall rule. A rule has either them or a pattern: `.*` beside networks.
alter table firewall_rules
  add column source_networks text[] not null default '{}'
    constraint rule_has_at_most_32_networks check (cardinality(source_networks) <= 32),
  add constraint rule_has_networks_or_a_pattern check (cardinality(source_networks) = 0 or source_ip = '.*');
comment on column firewall_rules.source_networks is
  'Canonical networks (CIDR) that the source address may be in; empty: the pattern source_ip decides.';
