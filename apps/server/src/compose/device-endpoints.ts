// Where devices connect: links of our agents, and tunnels of existing ones.
import type { Clock } from '@bowline/base/clock'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { beginKeyLogin } from '../auth/key-logins.ts'
import type { TokenIssuer } from '../auth/tokens.ts'
import type { ServerConfig } from '../config.ts'
import type { DeviceActor, TenantContext } from '../context.ts'
import { sshKeyOf } from '../devices/key-fingerprint.ts'
import type { FormerTokens } from '../devices/imported/former-tokens.ts'
import { createDeviceKeys } from '../devices/links/keys.ts'
import { type TunnelEndpoints, createTunnelEndpoints } from '../gateway/bridges/tunnels/tunnel-endpoint.ts'
import { type Agents, createAgents } from '../gateway/links/agents.ts'
import { createLinkEndpoint } from '../gateway/links/link-endpoint.ts'
import type { ReverseStreams } from '../gateway/links/reverse-streams.ts'
import { createUpgradeGuard } from '../gateway/links/upgrade-guard.ts'
import type { UpgradeHandler } from '../gateway/links/upgrades.ts'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import { startDeviceHealth } from './device-health.ts'
import type { Cluster } from './cluster.ts'

/** Returns a function that finds the device of a token, also of one of the server that it came from. */
export function deviceCheck(
  tokens: TokenIssuer,
  formerToken: FormerTokens,
): (token: string) => Promise<DeviceActor | undefined> {
  return async (token) => {
    const claims = (await tokens.readDevice(token)) ?? (await formerToken(token))
    return claims && { ...claims, kind: 'device' }
  }
}

/**
 * The links of this node's devices.
 * @param cluster undefined for a server that runs by itself; not there yet when this is composed
 */
export function composeAgents(
  base: { readonly system: Kysely<Schema>; readonly node: string; readonly clock: Clock; readonly log: Log },
  tenantContext: (tenant: TenantId, actor: DeviceActor, source?: string) => TenantContext,
  cluster: () => Pick<Cluster, 'linkMoved'> | undefined,
): Agents {
  const { system: db, node, clock, log } = base
  return createAgents({
    db,
    node,
    clock,
    log,
    contextOf: (device, source) => tenantContext(device.tenant, device, source),
    tellHolder: (holder, link) => cluster()?.linkMoved(holder, link),
  })
}

export interface DeviceEndpointParts {
  readonly config: Pick<ServerConfig, 'secretKey' | 'isExemptSource' | 'settings'>
  readonly system: Kysely<Schema>
  readonly agents: Agents
  /** Other nodes have the database, and this one does not: devices are refused. */
  readonly isCutOff: () => boolean
  readonly reverse: ReverseStreams
  readonly clock: Clock
  readonly log: Log
  readonly tokens: Pick<TokenIssuer, 'readDevice'>
  /** The device that a token of the server names from which it came. */
  readonly formerToken: FormerTokens
  readonly tenantContext: (tenant: TenantId, actor: DeviceActor) => TenantContext
  /** Ends run in the reverse order: these after the links. */
  readonly onEnd: (ending: () => Promise<void>) => void
}

export function composeDeviceEndpoints(endpointParts: DeviceEndpointParts): {
  readonly link: UpgradeHandler
  readonly existing: TunnelEndpoints
} {
  const { config, tokens, formerToken, tenantContext, ...parts } = endpointParts
  const contextOf = (device: Omit<DeviceActor, 'kind'>): TenantContext =>
    tenantContext(device.tenant, { kind: 'device', ...device })
  const shared = {
    ...parts,
    guard: createUpgradeGuard({ ...parts, isExemptSource: config.isExemptSource }),
    readToken: (token: string) => tokens.readDevice(token),
  }
  const findKey = createDeviceKeys(parts.system)
  return {
    link: createLinkEndpoint({ ...shared, findKey, health: startDeviceHealth({ ...parts, config }) }),
    existing: createTunnelEndpoints({
      ...shared,
      readToken: async (token) => (await shared.readToken(token)) ?? formerToken(token),
      async findKey(device) {
        const found = await findKey(device)
        return found && { ...found, sshKey: sshKeyOf(found.publicKey) }
      },
      keyLogin: (device, user) => beginKeyLogin(contextOf(device), config.secretKey, device.uid, user),
    }),
  }
}
