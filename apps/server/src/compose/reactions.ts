// Reactions of the data plane to events of nouns: nouns do not know the gateway, so they meet here. One line per event.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Agents } from '../gateway/links/agents.ts'
import type { LiveLogins } from '../gateway/login/live-logins.ts'

export interface Reactors {
  readonly agents: Pick<Agents, 'drop'>
  readonly live: Pick<LiveLogins, 'review'>
}

/** Does what follows from an event, beside telling the namespace's listeners of it. */
export function react(event: LiveEvent, tenant: TenantId, { agents, live }: Reactors): void {
  switch (event.type) {
    case 'device.removed':
      // It loses its link, and its sessions with it.
      return agents.drop(event.uid)
    case 'device.changed':
      return live.review(tenant, event.device.uid)
    case 'policy.changed':
    case 'member.removed':
    case 'reset':
      return live.review(tenant)
    default:
  }
}
