// The paths at which a connection of HTTP becomes something else: links of agents, terminals of browsers, and tunnels.
import type { Server } from 'node:http'
import { LEGACY_TERMINAL_PATH, TERMINAL_PATH } from '@bowline/contract/terminal/messages'
import { LINK_PATH } from '@bowline/link/upgrade'
import type { ServerConfig } from '../config.ts'
import { type UpgradeHandler, attachUpgrades } from '../gateway/links/upgrades.ts'
import type { TunnelParts } from './tunnels.ts'

/** Gives each path its endpoint. */
export function attachEndpoints(
  server: Server,
  { isTrustedProxy, isKnownHost }: Pick<ServerConfig, 'isTrustedProxy' | 'isKnownHost'>,
  { traffic, proxy }: Pick<TunnelParts, 'traffic' | 'proxy'>,
  endpoints: Readonly<Record<'link' | 'terminal' | 'legacy', UpgradeHandler>>,
): void {
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
