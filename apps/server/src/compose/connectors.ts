// Connectors with the part that dials them: container engines whose containers become devices.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { AuthDeps } from '../auth/service.ts'
import type { ServerConfig } from '../config.ts'
import { type Dialing, createDialing } from '../connectors/dialing/dialing.ts'
import type { Actor, TenantContext } from '../context.ts'
import type { Agents } from '../gateway/links/agents.ts'
import { egressRules } from './budgets.ts'

export function composeConnectors(
  { settings, secretKey }: Pick<ServerConfig, 'settings' | 'secretKey'>,
  { db: system, clock, log }: Pick<AuthDeps, 'db' | 'clock' | 'log'>,
  links: Pick<Agents, 'add' | 'find'>,
  tenantContext: (tenant: TenantId, actor: Actor, source?: string) => TenantContext,
  node: string,
  /** True while this node dials the engines that no device reaches. */
  hasLease: () => Promise<boolean>,
): Dialing {
  return createDialing({
    system,
    clock,
    log,
    secretKey,
    egress: egressRules(settings, log),
    links,
    node,
    hasLease,
    contextOf: (tenant, source) => tenantContext(tenant, { kind: 'system', name: 'connector' }, source),
  })
}
