// Every route of the API with the dependencies of its noun: the one list that the HTTP server binds.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { announcementRoutes } from '../announcements/routes.ts'
import { apiKeyRoutes } from '../api-keys/routes.ts'
import { auditRoutes } from '../audit/routes.ts'
import { createAccessChanges } from '../auth/access-changes.ts'
import { authRoutes, loginKeyRoutes } from '../auth/routes.ts'
import { type AuthDeps, endBrowserSessionsOf, isCurrentPassword } from '../auth/service.ts'
import { billingRoutes } from '../billing/routes.ts'
import type { ServerConfig } from '../config.ts'
import { connectorRoutes } from '../connectors/routes.ts'
import type { Actor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { internalDeviceRoutes } from '../devices/internal-routes.ts'
import { deviceRoutes } from '../devices/routes.ts'
import type { EventBus } from '../events/bus.ts'
import { eventRoutes } from '../events/routes.ts'
import { firewallRoutes } from '../firewall/routes.ts'
import { completeRoutes } from '../http/binding.ts'
import type { Route } from '../http/route.ts'
import type { InstanceKeys } from '../instance/keys.ts'
import { instanceRoutes } from '../instance/routes.ts'
import { memberRoutes } from '../members/routes.ts'
import { namespaceRoutes } from '../namespaces/routes.ts'
import { getNamespaceLimits } from '../namespaces/service.ts'
import { addressRanges } from '../platform/network/address.ts'
import { previewRoutes } from '../previews/routes.ts'
import { publicKeyRoutes } from '../public-keys/routes.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { recordingRemoval } from '../recordings/removal.ts'
import { recordingRoutes } from '../recordings/routes.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import type { CloseConnection } from '../sessions/service.ts'
import { statsRoutes } from '../stats/routes.ts'
import { tagRoutes } from '../tags/routes.ts'
import { terminalRoutes } from '../terminals/routes.ts'
import type { TerminalTickets } from '../terminals/tickets.ts'
import { tunnelRoutes } from '../tunnels/routes.ts'
import { userRoutes } from '../users/routes.ts'

export interface ApiParts extends TerminalTickets {
  readonly config: ServerConfig
  readonly keys: InstanceKeys
  /** System connection: for sign-in and for values unique across namespaces. */
  readonly system: Kysely<Schema>
  /** Rejects when the database does not answer. */
  readonly ping: () => Promise<void>
  readonly auth: AuthDeps
  readonly bus: EventBus
  readonly tenantContext: (tenant: TenantId, actor: Actor, source?: string) => TenantContext
  readonly recordings: Recordings
  /** True while the recording store is unreachable. */
  readonly isDegraded: () => boolean
  readonly closeConnection: CloseConnection
  /** Actual port of the SSH gateway. */
  readonly sshPort: () => number
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** Sign-ins per second and source. */
const SIGN_INS = { perSecond: 10, burst: 100 }
/** Registrations per second and source: enough for a rack behind one address. */
const REGISTRATIONS = { perSecond: 20, burst: 200 }

/** Terminals per second and source: people open them by hand. */
const TERMINALS = { perSecond: 5, burst: 50 }

export function apiRoutes(parts: ApiParts): Route[] {
  const { config, keys, system, auth, tenantContext } = parts
  const { settings } = config
  const { clock, ids, tokens } = auth
  const edition = settings.BOWLINE_EDITION
  const removal = recordingRemoval(parts.recordings.ledger)
  const registration = {
    tokens,
    statementKey: keys.statement.publicRaw,
    contextOf: async (tenant: TenantId, source: string) =>
      (await getNamespaceLimits(system, tenant)) &&
      tenantContext(tenant, { kind: 'system', name: 'registration' }, source),
  }
  const signIns = new RateLimiter(clock, SIGN_INS)
  const sessionEnding = { clock, endSessions: endBrowserSessionsOf }
  const routes = [
    ...instanceRoutes({
      db: system,
      keys,
      settings,
      ids,
      clock,
      passwords: auth.passwords,
      sshPort: parts.sshPort,
      pin: config.pin,
      ping: parts.ping,
      isDegraded: parts.isDegraded,
    }),
    ...authRoutes(auth, sessionEnding, signIns),
    ...loginKeyRoutes(config.secretKey, (device, source) => tenantContext(device.tenant, device, source)),
    ...deviceRoutes(registration, new RateLimiter(clock, REGISTRATIONS), removal),
    ...internalDeviceRoutes(system, (tenant, source) =>
      tenantContext(tenant, { kind: 'system', name: 'internal call' }, source),
    ),
    ...namespaceRoutes({ db: system, ids, edition, supportSecret: keys.derive('support identifiers'), removal }),
    ...memberRoutes({ ...auth, edition }, tenantContext),
    ...userRoutes(
      {
        ...auth,
        ...sessionEnding,
        isCurrentPassword: (account, password, origin) => isCurrentPassword(auth, account, password, origin),
      },
      signIns,
    ),
    ...apiKeyRoutes({ system, ids }),
    ...tagRoutes(),
    ...previewRoutes(),
    ...publicKeyRoutes(),
    ...firewallRoutes(),
    ...tunnelRoutes({
      secret: keys.derive('tunnel addresses'),
      domain: settings.BOWLINE_TUNNELS_DOMAIN ?? '',
    }),
    ...connectorRoutes({
      ids,
      secretKey: config.secretKey,
      egress: { privateNetworks: edition !== 'cloud', allowed: addressRanges(settings.BOWLINE_EGRESS_ALLOWED) },
    }),
    ...announcementRoutes(system, edition),
    ...auditRoutes(system),
    ...sessionRoutes(parts.closeConnection),
    ...terminalRoutes({
      tickets: parts.tickets,
      legacyTickets: parts.legacyTickets,
      attempts: new RateLimiter(clock, TERMINALS),
    }),
    ...recordingRoutes(parts.recordings, system, (tenant, source) =>
      tenantContext(tenant, { kind: 'system', name: 'internal call' }, source),
    ),
    ...billingRoutes(),
    ...statsRoutes(),
    ...eventRoutes(parts.bus, createAccessChanges(auth), parts.stopping),
  ]
  return completeRoutes(routes, edition)
}
