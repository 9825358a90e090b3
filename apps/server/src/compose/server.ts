// Composition root: the only place where the parts of the server meet. Starts them in order and stops them in reverse.
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Clock } from '@bowline/base/clock'
import { actorOfKey } from '../api-keys/service.ts'
import { createTokenIssuer } from '../auth/tokens.ts'
import { mfaDeps, startAccounts } from './people/accounts.ts'
import { closingOf, connectionLimits } from './http-connections.ts'
import { apiRoutes } from './http.ts'
import type { ServerConfig } from '../config.ts'
import type { Actor, TenantContext } from '../context.ts'
import { createFormerTokens } from '../devices/imported/former-tokens.ts'
import { forgetLinksOf } from '../devices/presence.ts'
import { createEventBus } from '../events/bus.ts'
import { updateCounts } from '../agent-updates/counts.ts'
import { createSshFactor } from '../held-logins/ssh-factor.ts'
import { createWaitingLogins } from '../held-logins/waiting.ts'
import { type LiveLogin, createLiveLogins } from '../gateway/login/live-logins.ts'
import { createReverseStreams } from '../gateway/links/reverse-streams.ts'
import { createAuthenticator, internalCallers } from '../http/auth.ts'
import { serveMetrics } from '../http/metrics.ts'
import { createRequestLimits } from '../http/limits/request-limits.ts'
import { createHttpServer } from '../http/server.ts'
import { loadInstanceKeys } from '../instance/keys.ts'
import { serveOpenApi } from '../instance/routes.ts'
import { isInstanceSetUp } from '../instance/service.ts'
import { tagCheck } from '../roles/grants.ts'
import { awaitEndOfEarlierRun } from '../nodes/twin.ts'
import { startJobs } from '../jobs/jobs.ts'
import { findLeavers } from '../jobs/leavers.ts'
import { isMember } from '../membership/membership.ts'
import { relyingParties } from '../passkeys/relying-party.ts'
import { isDisabled } from '../public-keys/service.ts'
import { publicHost } from '../platform/network/public-host.ts'
import { composeAlerts } from './alerts.ts'
import { composeDeviceLoops } from './device-loops.ts'
import { composeBilling } from './billing.ts'
import { composeCertificates } from './certificates.ts'
import { composeConnectors } from './connectors.ts'
import { connect, shareCounts, shareTime } from './database.ts'
import { composeAgents, composeDeviceEndpoints, deviceCheck } from './device-endpoints.ts'
import { attachEndpoints, composeWebEndpoints } from './endpoints.ts'
import { composeGateway } from './gateway.ts'
import { composeJudging } from './judging.ts'
import { type NodeParts, type Nodes, composeNodes } from './nodes.ts'
import { endNamespaces, react } from './reactions.ts'
import { agentFiles, serveFiles } from './files.ts'
import { composeScim } from './people/scim.ts'
import { composeTunnels } from './tunnels.ts'
import { assembleSingleSignOn } from './people/single-sign-on.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { nodeName } from '../platform/node-name.ts'
import { startTracing } from '../platform/tracing/tracing.ts'
import { startRecordings } from '../recordings/start.ts'
import { ScimTurns } from '../scim/turns.ts'
import { closeLostSessions } from '../sessions/service.ts'
import { sharedTerminalTickets } from '../terminals/shared-tickets.ts'
import { createTerminalTickets } from '../terminals/tickets.ts'

export interface ServerParts {
  readonly config: ServerConfig
  readonly log: Log
  readonly clock: Clock
  readonly ids: Ids
  /** Corrects the clock by the database's, which all nodes share. Tests with a manual clock omit it. */
  readonly sharedTime?: true
  /** Called when the server cannot continue: the process must exit. */
  readonly onFatal?: (error: Error) => void
}

export interface RunningServer {
  /** Origin of console and API. */
  readonly origin: string
  readonly sshPort: number
  /** Signed set-up link of the first account; undefined once that exists. */
  readonly setupLink: string | undefined
  /** Asks agents to reconnect elsewhere and refuses logins; ends sessions still running after the drain time. */
  close(): Promise<void>
}

/** Starts everything. When a part fails, stops the parts before it and throws the failure. */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const endings: (() => Promise<void>)[] = []
  const end = async (): Promise<void> => {
    for (const ending of endings.splice(0).reverse()) await ending()
  }
  try {
    return { ...(await start(parts, (ending) => endings.push(ending))), close: end }
  } catch (error) {
    await end().catch((failure: unknown) => parts.log.error('server.failed', { err: failure }))
    throw error
  }
}

async function start(
  { config, log, ids, onFatal, ...parts }: ServerParts,
  onEnd: (ending: () => Promise<void>) => void,
): Promise<Omit<RunningServer, 'close'>> {
  const { settings, dataFolder, objectStore: store } = config
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const node = await nodeName(dataFolder)
  await startTracing(settings, node, onEnd)
  const database = await connect(config, log, onFatal, onEnd)
  const system = database.system()
  const clock = parts.sharedTime ? await shareTime(parts.clock, database, log, onEnd) : parts.clock
  const keys = await loadInstanceKeys(system, config.secretKey)
  const { redis, rates } = await shareCounts({ settings, keys, system, clock, log }, onEnd)
  // The embedded database has a lock of its own against a second process.
  if (settings.BOWLINE_DATABASE_URL) await awaitEndOfEarlierRun(system, node, parts.clock)
  await forgetLinksOf(system, node)
  await closeLostSessions(system, node)
  const bus = createEventBus(clock, randomUUID(), (tenant) => nodes.cluster?.opened(tenant))
  const tenantContext = (tenant: TenantId, actor: Actor, source = ''): TenantContext => ({
    actor,
    tenant,
    db: database.forTenant(tenant),
    clock,
    log,
    edition: settings.BOWLINE_EDITION,
    source,
    locate: config.locate,
    hasListeners: () => bus.hasListeners(tenant) || nodes.cluster?.isListenedToElsewhere(tenant) === true,
    emit: (event) => tell(tenant, event),
  })
  const tell = (tenant: TenantId, event: LiveEvent): void => {
    apply(event, tenant)
    nodes.cluster?.emitted(tenant, event)
  }
  const apply = (event: LiveEvent, tenant: TenantId): void => {
    bus.emit(tenant, event)
    react(event, tenant, { agents, live, tunnels: tunnels.supervision })
  }
  const openElsewhere: Nodes['openFile'] = (...file) => nodes.openFile(...file)
  const recordingParts = { folder: config.recordingsFolder, node, log, system, clock, store, openElsewhere, onEnd }
  const contextOf = (tenant: TenantId) => tenantContext(tenant, { kind: 'system', name: 'recordings' })
  const completion = { contextOf, publicUrl: settings.BOWLINE_PUBLIC_URL }
  const { recording: key, reloadRecording: reloadKeys } = keys
  const { recordings, uploads, degraded } = await startRecordings({ ...recordingParts, ...completion, key, reloadKeys })
  const tokens = createTokenIssuer(keys.token, clock)
  const signInContext = (tenant: TenantId) => tenantContext(tenant, { kind: 'system', name: 'single sign-on' })
  const base = { config, system, node, clock, log }
  const consoleOrigin = (): string =>
    config.publicOrigin ??
    `${config.tls ? 'https' : 'http'}://localhost:${(http.server.address() as AddressInfo | null)?.port ?? settings.BOWLINE_HTTP_PORT}`
  const accountParts = { ...base, ids, keys, tokens, contextOf: signInContext, consoleOrigin, onEnd }
  const { mail, auth, registration, mailRequests } = await startAccounts(accountParts)
  const alerts = composeAlerts({ config, system, clock, ids, log, mails: mail.queue, tenantContext })
  onEnd(() => alerts.stop())
  const turns = new ScimTurns()
  const singleSignOn = assembleSingleSignOn(auth, config, signInContext, onEnd, consoleOrigin)

  const agents = composeAgents(base, tenantContext, () => nodes.cluster)
  const certificates = composeCertificates(base)
  await certificates.load(onEnd)
  const metrics = createMetrics({
    certificates: certificates.counts,
    agents: () => agents.count,
    connections: () => gateway.connectionCount,
    listeners: () => bus.listenerCount,
    unlinkedNodes: () => nodes.unlinkedCount,
    recordingRoom: () => recordings.room(),
    uploads,
    mails: mail.counts,
    alerts: alerts.counts,
    agentUpdates: updateCounts(system, clock),
    ping: () => database.ping(),
  })
  const mfa = mfaDeps({ config, keys, auth, mails: mail.queue })
  const waiting = createWaitingLogins({ clock, db: system })
  const judging = composeJudging(config, { system, clock }, tenantContext, (path) => mail.queue.link(path))
  const leaving = { isMember, findLeavers: (logins: readonly LiveLogin[]) => findLeavers(system, logins) }
  const live = createLiveLogins({ ...judging, ...leaving, keyIsDisabled: isDisabled, clock, log })
  const reverse = createReverseStreams()
  const openFile: NodeParts['openFile'] = (file) => recordings.openHere(file)
  const nodeParts = { ...base, database, bus, redis, agents, reverse, live, apply, openFile, onFatal }
  const nodes: Nodes = await composeNodes({ ...nodeParts, gateway: () => gateway, webEndpoints: () => webEndpoints })
  const { cluster } = nodes
  const isCutOff = (): boolean => nodes.isCutOff
  const gatewayParts = { config, keys, clock, log, node, agents, live, reverse, recordings, judging, metrics }
  const gateway = composeGateway({
    ...gatewayParts,
    rates: cluster && rates,
    isCutOff,
    reach: (target) => nodes.reachLogin(target),
    factor: createSshFactor({ ...mfa, waiting }),
  })

  const reachDevice: Parameters<typeof composeTunnels>[3] = (device) => nodes.reachDevice(device)
  const tunnels = composeTunnels(config, keys, auth, reachDevice, metrics, rates, tell, consoleOrigin)
  const dialing = composeConnectors(config, auth, agents, tenantContext, node, () => nodes.dialsConnectors())
  const billing = await composeBilling(config, { system, clock, log }, consoleOrigin, tenantContext)
  await billing.check()
  const terminalTickets = cluster ? sharedTerminalTickets(system) : createTerminalTickets(clock)
  const stopping = new AbortController()
  const isInternal = internalCallers(config.nodeSecret)
  const requestLimits = createRequestLimits(clock, config.isExemptSource)
  const deviceLoops = composeDeviceLoops({ system, tenantContext, ledger: recordings.ledger, log }, onEnd)
  const formerToken = createFormerTokens(system)
  const agentBundles = agentFiles(settings, clock, log, () => nodes.knowHandover)
  const http = await createHttpServer({
    clock,
    log,
    isKnownHost: config.isKnownHost,
    requestLimits,
    connections: connectionLimits(config),
    trustedProxies: settings.BOWLINE_TRUSTED_PROXIES,
    tunnels: tunnels.traffic,
    ...(config.tls ? { tls: { ...config.tls, SNICallback: certificates.SNICallback } } : {}),
    authenticator: createAuthenticator({
      ...singleSignOn.checks,
      device: deviceCheck(tokens, formerToken),
      apiKey: (key) => actorOfKey(system, key, clock.now()),
      isInternal,
      hasTag: tagCheck(system),
      tenantContext,
    }),
    routes: apiRoutes({
      agentRelease: agentBundles.release,
      config,
      keys,
      node,
      system,
      ping: () => database.ping(),
      rates,
      auth,
      mfa,
      waiting,
      ...singleSignOn.parts,
      turns,
      certificates: certificates.deps,
      mails: mail.queue,
      mailDeps: mail.deps,
      registration,
      mailRequests,
      parties: relyingParties({
        publicOrigin: config.publicOrigin,
        hasTls: config.tls !== undefined,
        httpPort: () => (http.server.address() as AddressInfo).port,
      }),
      bus,
      tenantContext,
      recordings,
      tunnels: tunnels.deps,
      doors: tunnels.doors,
      reviewTunnels: (tenant) => tunnels.supervision.review({ tenant }),
      connectors: { dialing, links: agents },
      billing,
      degraded: async () => [...(await degraded()), ...(nodes.unlinkedCount > 0 ? ['node-links'] : [])],
      isStopping: () => agents.isDraining,
      isCutOff,
      alerts: alerts.deps,
      auditStreams: alerts.streamDeps,
      deviceLoops,
      ...terminalTickets,
      closeConnection: (session, cause) =>
        gateway.closeSession(session.uid, cause) || cluster?.closeElsewhere(session, cause) === true,
      sshPort: () => gateway.port,
      stopping: stopping.signal,
    }),
  })
  certificates.attach(http.server)
  serveOpenApi(http)
  singleSignOn.serve(http)
  composeScim(http, { auth, registration, ...singleSignOn.parts, turns, requestLimits, tenantContext })
  serveMetrics(http, metrics, { isInternal, mayRead: config.mayReadMetrics })
  await serveFiles(http, { config, agents: agentBundles, clock, log, metrics })
  const webEndpoints = composeWebEndpoints({ ...base, gateway, judging, nodes, terminalTickets, live })
  const devices = { config, system, agents, isCutOff, reverse, clock, log, tokens, formerToken, tenantContext, onEnd }
  const { link, existing } = composeDeviceEndpoints(devices)
  attachEndpoints(http.server, { ...config, clock, log }, tunnels, { link, ...webEndpoints }, existing)

  const closing = closingOf(http, stopping)
  onEnd(() => nodes.close())
  // Links are sockets of the HTTP server, which closes only after them.
  onEnd(() => closing.ended())
  onEnd(() => agents.close())
  onEnd(() => dialing.close())
  onEnd(() => Promise.resolve(webEndpoints.close()))
  onEnd(() => Promise.resolve(tunnels.close()))
  await nodes.start(onEnd)
  await tunnels.start()
  agents.start()
  dialing.start()
  onEnd(() => gateway.close())
  await gateway.start()
  onEnd(async () => {
    const timeoutMs = settings.BOWLINE_DRAIN_SECONDS * 1_000
    agents.drain()
    // Browsers and balancers are served until the balancers have seen that this node stops.
    const begunAt = clock.monotonic()
    await nodes.drain(timeoutMs, closing.begin)
    closing.begin()
    await gateway.drain(Math.max(0, timeoutMs - (clock.monotonic() - begunAt)))
  })
  await http.listen({ host: settings.BOWLINE_HOST, port: settings.BOWLINE_HTTP_PORT, backlog: 4_096 })
  metrics.watchProcess()
  await certificates.start(onEnd, mail.queue)
  billing.start(onEnd)
  const shared = { once: nodes.once, auth, mailRequests, agentRelease: agentBundles.release, ...singleSignOn.parts }
  const jobs = { ...shared, system, recordings, live, ...deviceLoops, alerts, billing: billing.deps }
  const ending = (tenants: ReadonlySet<TenantId>): void => endNamespaces(tenants, { agents, live })
  startJobs({ ...jobs, clock, log, tenantContext, settings, endNamespaces: ending }, onEnd)
  const { port } = http.server.address() as AddressInfo
  const origin = `${config.tls ? 'https' : 'http'}://${publicHost(settings.BOWLINE_HOST, settings.BOWLINE_DOMAIN)}:${port}`
  log.info('server.listening', { origin, ssh: gateway.port })
  // A proxy or a container may forward another port than this server's own.
  const { origin: reachable } = new URL(settings.BOWLINE_PUBLIC_URL ?? origin)
  return {
    origin,
    sshPort: gateway.port,
    setupLink: (await isInstanceSetUp(system)) ? undefined : `${reachable}/setup?sign=${keys.setupSign}`,
  }
}
