// Connections of HTTP: whom a trusted proxy connects for, and the paths at which one becomes something else: links of
// agents, terminals of browsers, and tunnels.
import type { Server } from 'node:http'
import type { TenantId } from '@bowline/contract/schemas/common'
import { LEGACY_TERMINAL_PATH, TERMINAL_PATH } from '@bowline/contract/terminal/messages'
import { LINK_PATH } from '@bowline/link/upgrade'
import type { ServerConfig } from '../config.ts'
import type { Clock } from '@bowline/base/clock'
import type { TokenIssuer } from '../auth/tokens.ts'
import type { Actor, TenantContext } from '../context.ts'
import { findDeviceKey } from '../devices/registration.ts'
import { readProxyHeaders } from '../gateway/admission/proxied-listener.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Agents } from '../gateway/links/agents.ts'
import { createLinkEndpoint } from '../gateway/links/link-endpoint.ts'
import type { ReverseStreams } from '../gateway/links/reverse-streams.ts'
import { type WebEndpoints, createWebEndpoints } from '../gateway/web/web-endpoints.ts'
import { type UpgradeHandler, attachUpgrades } from '../gateway/links/upgrades.ts'
import type { Log } from '../platform/log.ts'
import { findKeyBlob } from '../public-keys/service.ts'
import type { TerminalTickets } from '../terminals/tickets.ts'
import type { composeJudging } from './judging.ts'
import type { Nodes } from './nodes.ts'
import type { TunnelParts } from './tunnels.ts'

export interface EndpointParts {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly log: Log
  readonly gateway: Gateway
  readonly agents: Agents
  readonly reverse: ReverseStreams
  readonly judging: ReturnType<typeof composeJudging>
  readonly tokens: TokenIssuer
  readonly tenantContext: (tenant: TenantId, actor: Actor) => TenantContext
  /** Id of this node. */
  readonly node: string
  readonly nodes: Pick<Nodes, 'carry'>
  readonly terminalTickets: TerminalTickets
  /** Other nodes have the database, and this one does not: links are refused. */
  readonly isCutOff: () => boolean
}

/** The endpoints of agents and of browsers' terminals. */
export function composeEndpoints(parts: EndpointParts): {
  readonly webEndpoints: WebEndpoints
  readonly link: UpgradeHandler
} {
  const { config, clock, log, gateway, agents, reverse, judging, tokens, tenantContext } = parts
  const webEndpoints = createWebEndpoints({
    gateway,
    ...parts.terminalTickets,
    clock,
    log,
    node: parts.node,
    carry: parts.nodes.carry,
    contextOf: async (uid) => {
      const target = await judging.resolve({ uid })
      return target && judging.contextOf(target)
    },
    findKey: findKeyBlob,
    takesSignaturesOverNames: config.settings.BOWLINE_LEGACY_KEY_SIGNATURES === 'on',
  })
  const link = createLinkEndpoint({
    agents,
    isCutOff: parts.isCutOff,
    reverse,
    clock,
    log,
    readToken: (token) => tokens.readDevice(token),
    findKey: (device) => findDeviceKey(tenantContext(device.tenant, { kind: 'device', ...device }), device.uid),
  })
  return { webEndpoints, link }
}

/** Gives each path its endpoint. Call it after everything else that listens for connections. */
export function attachEndpoints(
  server: Server,
  {
    isTrustedProxy,
    isKnownHost,
    clock,
    log,
  }: Pick<ServerConfig, 'isTrustedProxy' | 'isKnownHost'> & {
    readonly clock: Clock
    readonly log: Log
  },
  { traffic, proxy }: Pick<TunnelParts, 'traffic' | 'proxy'>,
  endpoints: Readonly<Record<'link' | 'terminal' | 'legacy', UpgradeHandler>>,
): void {
  const refused = (source: string): void => log.warn('http.refused', { source, reason: 'proxy-header' })
  readProxyHeaders(server, { isTrustedProxy, clock, refused })
  attachUpgrades(server, {
    isTrustedProxy,
    isKnownHost,
    isTunnelHost: traffic.isTunnelHost,
    tunnels: proxy.upgrade,
    endpoints: new Map([
      [LINK_PATH, endpoints.link],
      [TERMINAL_PATH, endpoints.terminal],
      [LEGACY_TERMINAL_PATH, endpoints.legacy],
    ]),
  })
}
