// Effects of noun events on the data plane: nouns do not know the gateway, so both meet here. One case per event.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Agents } from '../gateway/links/agents.ts'
import type { LiveLogins } from '../gateway/login/live-logins.ts'

export interface Reactors {
  readonly agents: Pick<Agents, 'drop' | 'dropNamespaces' | 'reviewHostKey'>
  readonly live: Pick<LiveLogins, 'review' | 'endNamespaces'>
  /** Requests of tunnels. */
  readonly tunnels: { review(scope: { readonly tenant: TenantId }): Promise<void> }
}

/** Applies the effects of an event; live listeners are notified separately. */
export function react(event: LiveEvent, tenant: TenantId, { agents, live, tunnels }: Reactors): void {
  switch (event.type) {
    case 'device.removed':
      // Drops its link, and its sessions with it.
      return agents.drop(event.uid)
    case 'namespace.removed':
      return endNamespaces(new Set([tenant]), { agents, live })
    case 'device.changed':
      if (event.device.host_key) agents.reviewHostKey(event.device.uid)
      return live.review(tenant, event.device.uid)
    case 'member.removed':
      // A failure is repaired by the next periodic review.
      tunnels.review({ tenant }).catch(() => undefined)
      return live.review(tenant)
    // A new role: firewall rules may be about it.
    case 'member.changed':
    case 'policy.changed':
    case 'reset':
      return live.review(tenant)
    default:
  }
}

/** Ends the logins of deleted namespaces, which tells their clients why, and then the links of their devices. */
export function endNamespaces(
  tenants: ReadonlySet<TenantId>,
  {
    agents,
    live,
  }: { readonly agents: Pick<Agents, 'dropNamespaces'>; readonly live: Pick<LiveLogins, 'endNamespaces'> },
): void {
  live.endNamespaces(tenants)
  agents.dropNamespaces(tenants)
}
