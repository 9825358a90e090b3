// What two firewall rules have in common that do the same.
import type { Rule, RuleBody } from '@bowline/contract/schemas/firewall'
import { canonicalNetwork } from '@bowline/contract/schemas/policy/network'

/** The same text for rules that do the same, whatever their ids. */
export function identityOf(rule: RuleBody | Rule): string {
  const { action, active, priority, source_ip, username, filter } = rule
  const networks = rule.source_networks?.map((network) => canonicalNetwork(network) ?? network) ?? []
  const others = [networks, rule.people ?? [], rule.roles ?? []]
  const tags = filter.tags?.toSorted()
  return JSON.stringify([action, active, priority, source_ip, username, filter.hostname, tags, others])
}
