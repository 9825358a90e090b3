// Identity of a firewall rule, whatever its id: rules with the same one do the same.
import type { Rule, RuleBody } from '../firewall.ts'
import { canonicalNetwork } from './network.ts'

/** A text that is equal for two rules exactly if they do the same. */
export function identityOf(rule: RuleBody | Rule): string {
  const { action, active, priority, source_ip, username, filter } = rule
  const networks = rule.source_networks?.map((network) => canonicalNetwork(network) ?? network) ?? []
  const others = [networks, rule.people ?? [], rule.roles ?? []]
  const tags = filter.tags?.toSorted()
  return JSON.stringify([action, active, priority, source_ip, username, filter.hostname, tags, others])
}
