// Every route of the API with the dependencies of its noun: the one list that the HTTP server binds.
import { join } from 'node:path'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { AgentReport } from '@bowline/contract/schemas/fleet/agent-update'
import type { Kysely } from 'kysely'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { administrationRoutes } from '../administration/routes.ts'
import type { RouteDeps as AlertDeps } from '../alerts/deps.ts'
import { alertRoutes } from '../alerts/routes.ts'
import { auditStreamRoutes } from '../audit-streams/routes.ts'
import { announcementRoutes } from '../announcements/routes.ts'
import { agentUpdateRoutes } from '../agent-updates/routes.ts'
import { type Available, reportAgent } from '../agent-updates/service.ts'
import { apiKeyRoutes } from '../api-keys/routes.ts'
import { installKey } from '../install-keys/enrolment.ts'
import { installKeyRoutes } from '../install-keys/routes.ts'
import { auditRoutes } from '../audit/routes.ts'
import { createAccessChanges } from '../auth/access-changes.ts'
import { programRoutes } from '../auth/device-codes/routes.ts'
import { authRoutes, loginKeyRoutes } from '../auth/routes.ts'
import { type AuthDeps, endBrowserSessionsOf, isCurrentPassword } from '../auth/service.ts'
import { signInRoutes } from '../auth/sign-ins/routes.ts'
import { userAuthorityRoutes } from '../auth/user-authority/routes.ts'
import type { Billing } from './billing.ts'
import { SourceLimiter, egressRules } from './budgets.ts'
import { getSubscription } from '../billing/customers.ts'
import { billingRoutes } from '../billing/routes.ts'
import type { ServerConfig } from '../config.ts'
import { peopleRoutes } from './people/members.ts'
import { createProofChecks, withProofs } from './people/proofs.ts'
import { certificateRoutes } from '../certificates/routes.ts'
import type { CertificateDeps } from '../certificates/service.ts'
import { connectorRoutes } from '../connectors/routes.ts'
import type { ConnectorDeps } from '../connectors/service.ts'
import type { Rates } from '../budgets/rates.ts'
import type { Actor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { deviceImportRoutes } from '../devices/imported/routes.ts'
import { internalDeviceRoutes } from '../devices/internal-routes.ts'
import { RecentRefusals } from '../devices/refusals/recent-refusals.ts'
import { deviceRoutes } from '../devices/routes.ts'
import type { EventBus } from '../events/bus.ts'
import { eventRoutes } from '../events/routes.ts'
import { exportRoutes } from '../exports/routes.ts'
import { firewallRoutes } from '../firewall/routes.ts'
import { requireBrowserFactor } from '../held-logins/browser-factor.ts'
import { heldLoginRoutes } from '../held-logins/routes.ts'
import { BILLING, EXPORTS, PASSKEYS, REGISTRATIONS, TERMINALS, TEST_MAILS } from './budgets.ts'
import { type DeviceLoops, deviceLoopRoutes } from './device-loops.ts'
import { endAllAccess } from '../access-requests/ending.ts'
import { accessRequestRoutes } from '../access-requests/routes.ts'
import { closeWindows } from '../held-logins/service.ts'
import type { WaitingLogins } from '../held-logins/waiting.ts'
import { completeRoutes } from '../http/binding.ts'
import type { Route } from '../http/route.ts'
import type { InstanceKeys } from '../instance/keys.ts'
import { instanceRoutes } from '../instance/routes.ts'
import type { MailQueue } from '../mails/queue.ts'
import { mailRoutes } from '../mails/routes.ts'
import type { MailDeps } from '../mails/service.ts'
import type { MfaDeps } from '../mfa/deps.ts'
import { mfaRoutes } from '../mfa/routes.ts'
import { namespaceRoutes } from '../namespaces/routes.ts'
import { getNamespaceLimits } from '../namespaces/service.ts'
import { createChallenges } from '../passkeys/challenges.ts'
import { type RelyingParties } from '../passkeys/relying-party.ts'
import { nodeRoutes } from '../nodes/routes.ts'
import { pairingRoutes } from '../pairing/routes.ts'
import { passkeyRoutes } from '../passkeys/routes.ts'
import { presenceRoutes } from '../presence/routes.ts'
import { previewRoutes } from '../previews/routes.ts'
import { publicKeyRoutes } from '../public-keys/routes.ts'
import { type MailRequests } from '../registration/mail-requests.ts'
import { registrationRoutes } from '../registration/routes.ts'
import type { RegistrationDeps } from '../registration/service.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { recordingRemoval } from '../recordings/removal.ts'
import { recordingRoutes } from '../recordings/routes.ts'
import { scimRoutes } from '../scim/routes.ts'
import type { ScimTurns } from '../scim/turns.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import type { CloseConnection } from '../sessions/service.ts'
import { identityRoutes } from '../single-sign-on/identities/routes.ts'
import type { OpenidDeps } from '../single-sign-on/openid/service.ts'
import { singleSignOnRoutes } from '../single-sign-on/routes.ts'
import { signInMethods } from '../single-sign-on/settings.ts'
import { statsRoutes } from '../stats/routes.ts'
import { tagRoutes } from '../tags/routes.ts'
import { terminalRoutes } from '../terminals/routes.ts'
import type { TerminalTickets } from '../terminals/tickets.ts'
import type { Doorkeeper } from '../tunnels/doors/doorkeeper.ts'
import { tunnelRoutes } from '../tunnels/routes.ts'
import type { TunnelDeps } from '../tunnels/service.ts'
import { userRoutes } from '../users/routes.ts'
import { snippetRoutes } from '../snippets/routes.ts'
import { viewRoutes } from '../views/routes.ts'

export interface ApiParts extends TerminalTickets {
  readonly config: ServerConfig
  readonly keys: InstanceKeys
  /** Id of this node. */
  readonly node: string
  /** System connection: for sign-in and for values unique across namespaces. */
  readonly system: Kysely<Schema>
  /** Rejects when the database does not answer. */
  readonly ping: () => Promise<void>
  readonly auth: AuthDeps
  readonly mfa: MfaDeps
  readonly waiting: WaitingLogins
  readonly singleSignOn: OpenidDeps
  readonly turns: ScimTurns
  readonly rates: Rates
  /** Limits sign-ins per source. */
  readonly signIns: RateLimiter
  readonly certificates: CertificateDeps
  readonly mails: MailQueue
  readonly mailDeps: MailDeps
  readonly registration: RegistrationDeps
  readonly mailRequests: MailRequests
  readonly parties: RelyingParties
  readonly bus: EventBus
  readonly tenantContext: (tenant: TenantId, actor: Actor, source?: string) => TenantContext
  readonly recordings: Recordings
  readonly tunnels: TunnelDeps
  readonly doors: Pick<Doorkeeper, 'visitLink'>
  /** Judges again what is under way through tunnels of a namespace. */
  readonly reviewTunnels: (tenant: TenantId) => Promise<void>
  readonly connectors: Pick<ConnectorDeps, 'dialing' | 'links'>
  readonly billing: Pick<Billing, 'deps' | 'stored'>
  readonly alerts: AlertDeps
  readonly auditStreams: Parameters<typeof auditStreamRoutes>[0]
  readonly deviceLoops: DeviceLoops
  /** True while running sessions are let end. */
  readonly isStopping: () => boolean
  /** Other nodes have the database, and this one does not. */
  readonly isCutOff: () => boolean
  /** Parts of this process that do not work while it serves. */
  readonly degraded: () => Promise<readonly string[]>
  readonly closeConnection: CloseConnection
  /** The signed release of the agent that this server has. */
  readonly agentRelease: () => Promise<Available>
  /** Actual port of the SSH gateway. */
  readonly sshPort: () => number
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

export function apiRoutes(parts: ApiParts): Route[] {
  const { config, keys, system, auth, signIns, tenantContext } = parts
  const { settings } = config
  const { clock, ids, tokens, log } = auth
  const edition = settings.BOWLINE_EDITION
  const removal = recordingRemoval(parts.recordings.ledger)
  const registration = {
    tokens,
    statementKey: keys.statement.publicRaw,
    installKey,
    reportAgent: (ctx: TenantContext, uid: DeviceUid, report: AgentReport) =>
      reportAgent(ctx, uid, report, parts.agentRelease),
    contextOf: async (tenant: TenantId, source: string) =>
      (await getNamespaceLimits(system, tenant)) &&
      tenantContext(tenant, { kind: 'system', name: 'registration' }, source),
  }
  const openNamespace = async (tenant: TenantId) => (await getNamespaceLimits(system, tenant))?.name
  const sessionEnding = { clock, endSessions: endBrowserSessionsOf }
  const proofs = createProofChecks(auth)
  const requireFactor = (actor: Actor, device: DeviceUid, source: string): Promise<Date | undefined> =>
    requireBrowserFactor(auth, actor, device, source)
  const exports = new RateLimiter(clock, EXPORTS)
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
      signInMethods: () => signInMethods(system),
      ping: parts.ping,
      degraded: parts.degraded,
      isStopping: parts.isStopping,
      isCutOff: parts.isCutOff,
      sendsMail: parts.mails.isSending,
      hasPasskeys: (host) => parts.parties.find(host) !== undefined,
    }),
    ...authRoutes(auth, sessionEnding, signIns),
    ...signInRoutes(auth, config.place),
    ...programRoutes(auth, signIns, config.place),
    ...mfaRoutes(parts.mfa, signIns),
    ...heldLoginRoutes({ db: system, clock, waiting: parts.waiting, place: config.place, tenantContext }),
    ...singleSignOnRoutes(parts.singleSignOn, signIns),
    ...identityRoutes(parts.singleSignOn),
    ...userAuthorityRoutes(config.secretKey, system),
    ...loginKeyRoutes(config.secretKey, (device, source) => tenantContext(device.tenant, device, source)),
    ...viewRoutes(),
    ...presenceRoutes(),
    ...alertRoutes(parts.alerts),
    ...auditStreamRoutes(parts.auditStreams),
    ...snippetRoutes(),
    ...accessRequestRoutes({ system, mails: parts.mails, nameOf: openNamespace }),
    ...deviceLoopRoutes(parts.deviceLoops, exports),
    ...deviceImportRoutes(),
    ...deviceRoutes(
      registration,
      { registrations: new RateLimiter(clock, REGISTRATIONS), exports, refusals: new RecentRefusals(clock) },
      removal,
    ),
    ...internalDeviceRoutes(system, (tenant, source) =>
      tenantContext(tenant, { kind: 'system', name: 'internal call' }, source),
    ),
    ...namespaceRoutes({
      db: system,
      ids,
      edition,
      supportSecret: keys.derive('support identifiers'),
      mails: parts.mails,
      contextOf: tenantContext,
      requireProof: proofs.factor,
      requireAccessProof: proofs.access,
      closeWindows,
      endAccess: endAllAccess,
    }),
    ...exportRoutes({
      system,
      clock,
      recordings: parts.recordings,
      folder: join(config.dataFolder, 'exports'),
      contextOf: (tenant, source) => tenantContext(tenant, { kind: 'system', name: 'export' }, source),
      invoicesOf: (tenant) =>
        parts.billing.deps.provider && (async () => (await getSubscription(parts.billing.deps, { tenant })).invoices),
      stopping: parts.stopping,
    }),
    ...peopleRoutes(
      { ...auth, edition, mails: parts.mails, invitesNewPeople: parts.registration.mode !== 'closed' },
      tenantContext,
      proofs,
    ),
    ...registrationRoutes(parts.registration, parts.mailRequests, signIns, tenantContext, removal),
    ...userRoutes(
      {
        ...auth,
        ...sessionEnding,
        mails: parts.mails,
        confirmsAddresses: parts.mails.isSending,
        requireProof: proofs.own,
        isCurrentPassword: (account, password, origin) => isCurrentPassword(auth, account, password, origin),
      },
      signIns,
    ),
    ...passkeyRoutes({
      ...auth,
      ...sessionEnding,
      signIns,
      mails: parts.mails,
      parties: parts.parties,
      challenges: createChallenges(keys.derive('passkey challenges'), clock),
      attempts: new SourceLimiter(clock, config.isExemptSource, PASSKEYS),
    }),
    ...installKeyRoutes(),
    ...agentUpdateRoutes(parts.agentRelease),
    ...pairingRoutes({ ...auth, rates: parts.rates, place: config.place, openNamespace }),
    ...apiKeyRoutes({ system, ids }, proofs.factor),
    ...scimRoutes({ system, ids, turns: parts.turns, origin: parts.singleSignOn.publicOrigin }),
    ...tagRoutes(),
    ...previewRoutes(),
    ...publicKeyRoutes(proofs.everybody),
    ...firewallRoutes(),
    ...tunnelRoutes(parts.tunnels, parts.doors, requireFactor),
    ...connectorRoutes({
      ids,
      secretKey: config.secretKey,
      egress: egressRules(settings, log),
      ...parts.connectors,
    }),
    ...announcementRoutes({ system, clock, ids }, edition),
    ...administrationRoutes({
      system,
      ids,
      passwords: auth.passwords,
      ...sessionEnding,
      contextOf: tenantContext,
      reviewTunnels: parts.reviewTunnels,
      exports,
      place: config.place,
    }),
    ...mailRoutes({
      ...parts.mailDeps,
      tests: new RateLimiter(clock, TEST_MAILS),
      requireFreshProof: proofs.own,
    }),
    ...certificateRoutes(parts.certificates),
    ...nodeRoutes(system, parts.node),
    ...auditRoutes(system, exports),
    ...sessionRoutes(parts.closeConnection, exports),
    ...terminalRoutes({
      tickets: parts.tickets,
      legacyTickets: parts.legacyTickets,
      joinTickets: parts.joinTickets,
      joins: new RateLimiter(clock, { perSecond: LIMITS.joining.ofPerson / 60, burst: LIMITS.joining.ofPerson }),
      attempts: new RateLimiter(clock, TERMINALS),
      requireFactor,
    }),
    ...recordingRoutes(parts.recordings, system, (tenant, source) =>
      tenantContext(tenant, { kind: 'system', name: 'internal call' }, source),
    ),
    ...billingRoutes(parts.billing.deps, parts.billing.stored, new RateLimiter(clock, BILLING)),
    ...statsRoutes(),
    ...eventRoutes(parts.bus, createAccessChanges(auth), parts.stopping),
  ]
  return withProofs(completeRoutes(routes, edition), proofs)
}
