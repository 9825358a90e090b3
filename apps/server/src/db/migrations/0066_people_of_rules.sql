-- Members and roles as the subject of a firewall rule. A rule without any is about everybody. Who leaves the namespace is
-- taken off the rules by the service, which removes rules that would be about everybody then.
alter table firewall_rules
  add column people text[] not null default '{}'
    constraint rule_names_at_most_100_people check (cardinality(people) <= 100),
  add column roles text[] not null default '{}'
    constraint rule_roles_are_known check (roles <@ array['owner', 'administrator', 'operator', 'observer']);
comment on column firewall_rules.people is 'Accounts of members that the rule is about, besides those with one of the roles.';
comment on column firewall_rules.roles is 'Roles whose members the rule is about.';
