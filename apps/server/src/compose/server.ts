// Composition root: the only place where the parts of the server meet. Starts them in order and stops them in reverse.
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import type { TenantId } from '@bowline/contract/schemas/common'
import { LEGACY_TERMINAL_PATH, TERMINAL_PATH } from '@bowline/contract/terminal/messages'
import { LINK_PATH } from '@bowline/link/upgrade'
import type { Clock } from '@bowline/base/clock'
import { actorOfKey } from '../api-keys/service.ts'
import { createPasswordHasher } from '../auth/passwords.ts'
import { type AuthDeps, userOfToken } from '../auth/service.ts'
import { createTokenIssuer } from '../auth/tokens.ts'
import { apiRoutes } from './http.ts'
import type { ServerConfig } from '../config.ts'
import type { Actor, TenantContext } from '../context.ts'
import { type LoginTarget, forgetLinksOf, resolveLoginTarget } from '../devices/presence.ts'
import { findDeviceKey } from '../devices/registration.ts'
import { serveDocsSearch } from '../docs-search/routes.ts'
import { createEventBus } from '../events/bus.ts'
import { ruleEvaluator } from '../firewall/service.ts'
import { createAdmission } from '../gateway/admission/admission.ts'
import { createAgents } from '../gateway/links/agents.ts'
import { createDeviceChecks } from '../gateway/login/device-checks.ts'
import { createGuesses } from '../gateway/admission/guesses.ts'
import { createGateway } from '../gateway/gateway.ts'
import { type LiveLogin, createLiveLogins } from '../gateway/login/live-logins.ts'
import { createReverseStreams } from '../gateway/links/reverse-streams.ts'
import { createSessionBudget } from '../gateway/login/session-budget.ts'
import type { Target } from '../gateway/login/sshid.ts'
import { signStatement } from '../gateway/login/statement.ts'
import { createLinkEndpoint } from '../gateway/links/link-endpoint.ts'
import { attachUpgrades } from '../gateway/links/upgrades.ts'
import { createWebEndpoints } from '../gateway/web/web-endpoints.ts'
import { createAuthenticator, internalCallers } from '../http/auth.ts'
import { serveMetrics } from '../http/metrics.ts'
import { createRequestLimits } from '../http/limits/request-limits.ts'
import { createHttpServer } from '../http/server.ts'
import { serveStatic } from '../http/files/static.ts'
import { Bundles } from '../install/bundles.ts'
import { serveInstall } from '../install/routes.ts'
import { loadInstanceKeys } from '../instance/keys.ts'
import { serveOpenApi } from '../instance/routes.ts'
import { isInstanceSetUp } from '../instance/service.ts'
import { startJobs } from '../jobs/jobs.ts'
import { findLeavers } from '../jobs/leavers.ts'
import { isMember } from '../membership/membership.ts'
import { findKeyBlob, isDisabled, mayLogIn } from '../public-keys/service.ts'
import { productFolders } from '../platform/folders.ts'
import { publicHost } from '../platform/network/public-host.ts'
import { connect, shareTime } from './database.ts'
import { react } from './reactions.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { nodeName } from '../platform/node-name.ts'
import { startRecordings } from '../recordings/start.ts'
import { closeLostSessions } from '../sessions/service.ts'
import { createTerminalTickets } from '../terminals/tickets.ts'
import { isTunnelHost } from '../platform/network/tunnel-addresses.ts'

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
  const database = await connect(config, log, onFatal, onEnd)
  const system = database.system()
  const clock = parts.sharedTime ? await shareTime(parts.clock, database, log, onEnd) : parts.clock
  const keys = await loadInstanceKeys(system, config.secretKey)
  await forgetLinksOf(system, node)
  await closeLostSessions(system, node)
  const recordingParts = { folder: join(dataFolder, 'recordings'), node, log, system, clock, store, onEnd }
  const { recording: key, reloadRecording: reloadKeys } = keys
  const { recordings, uploads } = await startRecordings({ ...recordingParts, key, reloadKeys })

  const bus = createEventBus(clock, randomUUID())
  const tenantContext = (tenant: TenantId, actor: Actor, source = ''): TenantContext => ({
    actor,
    tenant,
    db: database.forTenant(tenant),
    clock,
    log,
    edition: settings.BOWLINE_EDITION,
    source,
    locate: config.locate,
    hasListeners: () => bus.hasListeners(tenant),
    emit(event) {
      bus.emit(tenant, event)
      react(event, tenant, { agents, live })
    },
  })
  const tokens = createTokenIssuer(keys.token, clock)
  const auth: AuthDeps = {
    db: system,
    clock,
    log,
    ids,
    passwords: await createPasswordHasher(),
    tokens,
    maximumLockoutMinutes: settings.BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT,
    refreshSecret: keys.derive('refresh tokens'),
  }

  const agents = createAgents({
    db: system,
    clock,
    log,
    node,
    contextOf: (device) => tenantContext(device.tenant, device),
  })
  const metrics = createMetrics({
    agents: () => agents.count,
    connections: () => gateway.connectionCount,
    listeners: () => bus.listenerCount,
    uploads,
  })
  const judging = {
    resolve: (target: Target) => resolveLoginTarget(system, target),
    contextOf: (target: LoginTarget) => tenantContext(target.tenant, { kind: 'system', name: 'gateway' }),
    firewall: ruleEvaluator,
    keyMayLogIn: mayLogIn,
  }
  const leaving = { isMember, findLeavers: (logins: readonly LiveLogin[]) => findLeavers(system, logins) }
  const live = createLiveLogins({ ...judging, ...leaving, keyIsDisabled: isDisabled, clock, log })
  const reverse = createReverseStreams()
  const channels = settings.BOWLINE_MAX_CHANNELS
  const gateway = createGateway({
    ...judging,
    agents,
    live,
    reverse,
    recordings,
    node,
    log,
    checks: createDeviceChecks(),
    guesses: createGuesses(clock),
    budget: createSessionBudget({
      perNode: settings.BOWLINE_MAX_SESSIONS,
      perNamespace: settings.BOWLINE_MAX_SESSIONS_PER_NAMESPACE,
      perAccount: settings.BOWLINE_MAX_SESSIONS_PER_ACCOUNT,
    }),
    sign: (statement) => signStatement(keys.statement.privateKey, statement, clock.now()),
    admission: createAdmission(
      {
        ratePerSource: settings.BOWLINE_CONNECTION_RATE,
        rateTotal: settings.BOWLINE_CONNECTION_RATE_TOTAL,
        unauthenticatedPerSource: settings.BOWLINE_MAX_UNAUTHENTICATED,
        unauthenticatedTotal: settings.BOWLINE_MAX_UNAUTHENTICATED_TOTAL,
        connectionsTotal: settings.BOWLINE_MAX_SESSIONS,
        exempt: config.isExemptSource,
      },
      clock,
      Math.random,
    ),
    ssh: {
      hostKeys: [keys.sshHostPem],
      compatibility: settings.BOWLINE_SSH_COMPATIBILITY,
      olderHostKeys: [keys.olderSshHostPem],
      // Clients derive server behaviour from OpenSSH's name and version: libssh picks the order of SFTP symlink
      // arguments by it. It reads one digit before the point.
      software: 'OpenSSH_9.9 Bowline',
      methods: ['publickey', 'keyboard-interactive', 'password'],
      limits: { channels, channelOpensPerSecond: Math.ceil(channels / 2) },
    },
    clock,
    isTrustedProxy: config.isTrustedProxy,
    host: settings.BOWLINE_HOST,
    port: settings.BOWLINE_SSH_PORT,
    refused: (reason) => metrics.sshRefused.inc({ reason }),
    ended: ({ by, reason }, authenticated) =>
      metrics.sshClosed.inc({ by, reason, authenticated: String(authenticated) }),
  })

  const terminalTickets = createTerminalTickets(clock)
  const stopping = new AbortController()
  const isInternal = internalCallers(config.nodeSecret)
  const http = await createHttpServer({
    clock,
    log,
    isKnownHost: config.isKnownHost,
    requestLimits: createRequestLimits(clock, config.isExemptSource),
    connections: {
      perSource: settings.BOWLINE_MAX_HTTP_CONNECTIONS_PER_SOURCE,
      total: settings.BOWLINE_MAX_HTTP_CONNECTIONS,
      isExempt: (address) => config.isTrustedProxy(address) || config.isExemptSource(address),
    },
    trustedProxies: settings.BOWLINE_TRUSTED_PROXIES,
    tunnelsDomain: settings.BOWLINE_TUNNELS_DOMAIN,
    ...(config.tls ? { tls: { ...config.tls } } : {}),
    authenticator: createAuthenticator({
      user: (token) => userOfToken(auth, token),
      device: async (token) => {
        const claims = await tokens.readDevice(token)
        return claims && { ...claims, kind: 'device' }
      },
      apiKey: (key) => actorOfKey(system, key, clock.now()),
      isInternal,
      tenantContext,
    }),
    routes: apiRoutes({
      config,
      keys,
      system,
      ping: () => database.ping(),
      auth,
      bus,
      tenantContext,
      recordings,
      isDegraded: () => uploads?.away === true,
      ...terminalTickets,
      closeConnection: (uid, cause) => gateway.closeSession(uid, cause),
      sshPort: () => gateway.port,
      stopping: stopping.signal,
    }),
  })
  serveOpenApi(http)
  serveMetrics(http, metrics, { isInternal, mayRead: config.mayReadMetrics })
  const folders = productFolders()
  serveInstall(http, { bundles: new Bundles(folders.install, clock, log), pin: config.pin })
  serveDocsSearch(http, { folder: folders.docs, settings, clock, log, metrics })
  const pageViews = settings.BOWLINE_DOCS_PAGE_VIEWS === 'on'
  await serveStatic(http, { ...folders, pageViews, domain: settings.BOWLINE_DOMAIN })
  const webEndpoints = createWebEndpoints({
    gateway,
    ...terminalTickets,
    clock,
    log,
    contextOf: async (uid) => {
      const target = await judging.resolve({ uid })
      return target && judging.contextOf(target)
    },
    findKey: findKeyBlob,
    takesSignaturesOverNames: settings.BOWLINE_LEGACY_KEY_SIGNATURES === 'on',
  })
  const link = createLinkEndpoint({
    agents,
    reverse,
    clock,
    log,
    readToken: (token) => tokens.readDevice(token),
    findKey: (device) => findDeviceKey(tenantContext(device.tenant, { kind: 'device', ...device }), device.uid),
  })
  attachUpgrades(http.server, {
    isTrustedProxy: config.isTrustedProxy,
    isKnownHost: config.isKnownHost,
    isTunnelHost: (host) => isTunnelHost(host, settings.BOWLINE_TUNNELS_DOMAIN),
    endpoints: new Map([
      [LINK_PATH, link],
      [TERMINAL_PATH, webEndpoints.terminal],
      [LEGACY_TERMINAL_PATH, webEndpoints.legacy],
    ]),
  })

  let httpClosed: Promise<void> = Promise.resolve()
  // Links are sockets of the HTTP server, which closes only after them.
  onEnd(() => httpClosed)
  onEnd(() => agents.close())
  onEnd(() => Promise.resolve(webEndpoints.close()))
  agents.start()
  onEnd(() => gateway.close())
  await gateway.start()
  onEnd(() => {
    stopping.abort()
    agents.drain()
    // A keep-alive connection that was busy when closing began would otherwise keep the server open.
    const nudge = setInterval(() => http.server.closeIdleConnections(), 50)
    httpClosed = http.close().finally(() => clearInterval(nudge))
    return gateway.drain(settings.BOWLINE_DRAIN_SECONDS * 1_000)
  })
  await http.listen({ host: settings.BOWLINE_HOST, port: settings.BOWLINE_HTTP_PORT, backlog: 4_096 })
  startJobs({ auth, system, recordings, live, clock, log, tenantContext, settings }, onEnd)
  const { port } = http.server.address() as AddressInfo
  const origin = `${config.tls ? 'https' : 'http'}://${publicHost(settings.BOWLINE_HOST, settings.BOWLINE_DOMAIN)}:${port}`
  log.info('server.listening', { origin, ssh: gateway.port })
  return {
    origin,
    sshPort: gateway.port,
    setupLink: (await isInstanceSetUp(system)) ? undefined : `${origin}/setup?sign=${keys.setupSign}`,
  }
}
