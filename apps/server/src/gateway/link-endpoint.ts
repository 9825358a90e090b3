// Where agents dial in: `/agent/link`. A device token names the device; the link itself then proves the device's key
// before anything else can be said on it. Every other upgrade is refused.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Link, LinkCause, LinkHandler } from '@bowline/link/api'
import { acceptLink } from '@bowline/link/accept'
import { systemClock } from '@bowline/link/clock'
import { LINK_PATH, refuseUpgrade } from '@bowline/link/upgrade'
import type { DeviceActor } from '../context.ts'
import { plainAddress, sourceKey } from '../platform/address.ts'
import type { Clock } from '../platform/clock.ts'
import { createLimiter } from '../platform/limiter.ts'
import type { Log } from '../platform/log.ts'
import type { Agents, LinkEvents } from './agents.ts'
import type { ReverseStreams } from './reverse-streams.ts'

export interface LinkEndpointDeps {
  readonly agents: Agents
  readonly reverse: ReverseStreams
  readonly clock: Clock
  readonly log: Log
  readonly isTrustedProxy: (address: string) => boolean
  readonly readToken: (token: string) => Promise<Omit<DeviceActor, 'kind'> | undefined>
  /** Public key of a device; undefined when it has been removed. */
  readonly findKey: (device: Omit<DeviceActor, 'kind'>) => Promise<{ publicKey: string } | undefined>
}

/** Upgrades a second from one source; the burst lets a rack behind one address come back together. */
const UPGRADES = { perSecond: 50, burst: 2_000 }
const MAX_TOKEN_LENGTH = 4_096

/** Takes the `upgrade` events of an HTTP server. */
export function attachLinkEndpoint(server: Server, deps: LinkEndpointDeps): void {
  const upgrades = createLimiter(deps.clock, UPGRADES.perSecond, UPGRADES.burst)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined)
    const remote = remoteAddress(request, deps.isTrustedProxy)
    if (request.url?.split('?')[0] !== LINK_PATH) return refuseUpgrade(socket, 404)
    // Agents that obey would otherwise come straight back.
    if (deps.agents.isDraining) return refuseUpgrade(socket, 503, { 'Retry-After': '5' })
    if (!upgrades.take(sourceKey(remote))) return refuseUpgrade(socket, 429, { 'Retry-After': '5' })
    admit(deps, request, socket, head, remote).catch((error: unknown) => {
      deps.log.error('link.refused', { remote, err: error })
      refuseUpgrade(socket, 503, { 'Retry-After': '5' })
    })
  })
}

async function admit(
  deps: LinkEndpointDeps,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  remote: string,
): Promise<void> {
  const token = (request.headers.authorization ?? '').replace(/^bearer +/i, '')
  const device = token.length <= MAX_TOKEN_LENGTH ? await deps.readToken(token) : undefined
  const key = device && (await deps.findKey(device))
  if (!device || !key) {
    deps.log.debug('link.refused', { remote, reason: device ? 'removed' : 'token' })
    return refuseUpgrade(socket, 401)
  }
  const state: { link?: Link; events?: LinkEvents; ended?: LinkCause } = {}
  const handler: LinkHandler = {
    open: (kind, header, stream) => deps.reverse.open(state.link, kind, header, stream),
    alive: () => state.events?.alive(),
    closed(cause) {
      state.ended = cause
      state.events?.closed(cause)
    },
  }
  const outcome = await acceptLink(
    request,
    socket,
    head,
    { uid: device.uid, publicKeyPem: key.publicKey },
    {
      handler,
      clock: systemClock,
      report: (error, callback) => deps.log.error('link.refused', { device: device.uid, callback, err: error }),
    },
  )
  if ('cause' in outcome) {
    return deps.log.warn('link.refused', { device: device.uid, remote, reason: outcome.cause.reason })
  }
  state.link = outcome.link
  const events = deps.agents.add({ kind: 'device', ...device }, outcome.link, remote)
  state.events = events
  // The link may have ended while its acceptance was on its way here.
  if (state.ended) events.closed(state.ended)
}

/** The device's address: of the connection, or as a trusted proxy tells it. */
function remoteAddress(request: IncomingMessage, isTrustedProxy: (address: string) => boolean): string {
  let address = plainAddress(request.socket.remoteAddress ?? '')
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => plainAddress(part.trim()))
    .filter((part) => part !== '')
  // From the nearest hop outwards, as long as each hop is trusted to tell the next one.
  while (forwarded.length && isTrustedProxy(address)) address = forwarded.pop() ?? address
  return address
}
