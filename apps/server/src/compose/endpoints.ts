// Connections of HTTP: whom a trusted proxy connects for, and the paths at which one becomes something else: links of
// agents, terminals of browsers, and tunnels.
import type { Server } from 'node:http'
import { LEGACY_TERMINAL_PATH, TERMINAL_PATH } from '@bowline/contract/terminal/messages'
import { LINK_PATH } from '@bowline/link/upgrade'
import type { ServerConfig } from '../config.ts'
import type { Clock } from '@bowline/base/clock'
import { readProxyHeaders } from '../gateway/admission/proxied-listener.ts'
import type { Kysely } from 'kysely'
import { isSignInAlive } from '../auth/sign-ins/service.ts'
import type { Schema } from '../db/schema.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { LiveLogins } from '../gateway/login/live-logins.ts'
import { createSharedTerminals } from '../gateway/sharing/shared-terminals.ts'
import { roleOf } from '../membership/membership.ts'
import { type WebEndpoints, createWebEndpoints } from '../gateway/web/web-endpoints.ts'
import { PICK_UP_PATH } from '../gateway/bridges/tunnels/pick-ups.ts'
import { DIALLED_PATH, MULTIPLEXED_PATH, type TunnelEndpoints } from '../gateway/bridges/tunnels/tunnel-endpoint.ts'
import { type UpgradeHandler, attachUpgrades } from '../gateway/links/upgrades.ts'
import type { Log } from '../platform/log.ts'
import { findKeyBlob } from '../public-keys/service.ts'
import type { TerminalTickets } from '../terminals/tickets.ts'
import type { composeJudging } from './judging.ts'
import type { Nodes } from './nodes.ts'
import type { TunnelParts } from './tunnels.ts'

export interface WebEndpointParts {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly log: Log
  readonly gateway: Gateway
  readonly judging: ReturnType<typeof composeJudging>
  /** Id of this node. */
  readonly node: string
  readonly nodes: Pick<Nodes, 'carry'>
  readonly terminalTickets: TerminalTickets
  readonly live: LiveLogins
  /** System connection: of sign-ins. */
  readonly system: Kysely<Schema>
}

/** The endpoints of browsers' terminals. */
export function composeWebEndpoints({
  config,
  clock,
  log,
  gateway,
  judging,
  node,
  nodes,
  terminalTickets,
  live,
  system,
}: WebEndpointParts): WebEndpoints {
  return createWebEndpoints({
    gateway,
    ...terminalTickets,
    shared: createSharedTerminals({
      ...judging,
      roleOf,
      isSignInAlive: (person, id) => isSignInAlive({ db: system, clock }, person, id),
      live,
      clock,
      log,
    }),
    clock,
    log,
    node,
    carry: nodes.carry,
    contextOf: async (uid) => {
      const target = await judging.resolve({ uid })
      return target && judging.contextOf(target)
    },
    findKey: findKeyBlob,
    resumeSeconds: config.settings.BOWLINE_RESUME_SECONDS,
    takesSignaturesOverNames: config.settings.BOWLINE_LEGACY_KEY_SIGNATURES === 'on',
  })
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
  existing: TunnelEndpoints,
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
      [DIALLED_PATH, existing.dialled],
      [PICK_UP_PATH, existing.pickUp],
      [MULTIPLEXED_PATH, existing.multiplexed],
      [TERMINAL_PATH, endpoints.terminal],
      [LEGACY_TERMINAL_PATH, endpoints.legacy],
    ]),
  })
}
