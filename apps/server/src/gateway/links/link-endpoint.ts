// The endpoint that agents dial: `/agent/link`. A device token names the device; the link itself then proves the
// device's key before it carries anything else.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Link, LinkCause, LinkHandler } from '@bowline/link/api'
import { acceptLink } from '@bowline/link/accept'
import { systemClock } from '@bowline/base/clock'
import { refuseUpgrade } from '@bowline/link/upgrade'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { DeviceActor } from '../../context.ts'
import { sourceKey } from '../../platform/network/address.ts'
import type { Log } from '../../platform/log.ts'
import type { Agents, LinkEvents } from './agents.ts'
import type { ReverseStreams } from './reverse-streams.ts'
import type { UpgradeHandler } from './upgrades.ts'

export interface LinkEndpointDeps {
  readonly agents: Agents
  /** Other nodes have the database, and this one does not: links are refused. */
  readonly isCutOff: () => boolean
  readonly reverse: ReverseStreams
  readonly clock: Clock
  readonly log: Log
  readonly readToken: (token: string) => Promise<Omit<DeviceActor, 'kind'> | undefined>
  /** Public key of a device; undefined when it has been removed. */
  readonly findKey: (device: Omit<DeviceActor, 'kind'>) => Promise<{ publicKey: string } | undefined>
}

/** Upgrades per second and source; the burst lets a rack behind one address reconnect at once. */
const UPGRADES = { perSecond: 50, burst: 2_000 }
/** Total for sources without a recent proof: each upgrade costs a token verification and a query. */
const UPGRADES_TOTAL = { perSecond: 400, burst: 4_000 }
/** Limit of sources with a proved link; they bypass the total, so that unknown sources cannot lock out known agents. */
const MAX_PROVED_SOURCES = 50_000
const MAX_TOKEN_LENGTH = 4_096
/** Limit of concurrent handshakes; each holds a socket for up to ten seconds. */
const MAX_HANDSHAKES = 4_096
/** Per device; a newer one evicts the oldest: a token may have leaked, but the device's own agent proves the key at once. */
const MAX_HANDSHAKES_OF_DEVICE = 2

/** Handles upgrades at `/agent/link`. */
export function createLinkEndpoint(deps: LinkEndpointDeps): UpgradeHandler {
  const upgrades = new RateLimiter(deps.clock, UPGRADES)
  const total = new RateLimiter(deps.clock, UPGRADES_TOTAL)
  const state: EndpointState = { proving: new Map(), proved: new Set() }
  let handshakes = 0
  return (request, socket, head, { remote }) => {
    // Agents that follow `goaway` would otherwise reconnect here at once.
    if (deps.agents.isDraining || deps.isCutOff()) return refuseUpgrade(socket, 503, { 'Retry-After': '5' })
    const source = sourceKey(remote)
    if (!upgrades.take(source)) return refuseUpgrade(socket, 429, { 'Retry-After': '5' })
    if (handshakes >= MAX_HANDSHAKES || !(state.proved.has(source) || total.take('')))
      return refuseUpgrade(socket, 503, { 'Retry-After': '5' })
    handshakes += 1
    admit(deps, state, request, socket, head, remote)
      .catch((error: unknown) => {
        deps.log.error('link.refused', { remote, err: error })
        refuseUpgrade(socket, 503, { 'Retry-After': '5' })
      })
      .finally(() => (handshakes -= 1))
  }
}

interface EndpointState {
  /** Sockets of handshakes by device, the oldest first. */
  readonly proving: Map<string, Set<Duplex>>
  /** Sources in order of their last proof. */
  readonly proved: Set<string>
}

async function admit(
  deps: LinkEndpointDeps,
  { proving, proved }: EndpointState,
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
    closed(cause) {
      state.ended = cause
      state.events?.closed(cause)
    },
  }
  const handshakes = proving.get(device.uid) ?? new Set()
  proving.set(device.uid, handshakes.add(socket))
  const [oldest] = handshakes
  if (oldest && handshakes.size > MAX_HANDSHAKES_OF_DEVICE) {
    handshakes.delete(oldest)
    oldest.destroy()
  }
  const proof = { uid: device.uid, publicKeyPem: key.publicKey }
  const outcome = await acceptLink(request, socket, head, proof, {
    handler,
    clock: systemClock,
    report: (error, callback) => deps.log.error('link.refused', { device: device.uid, callback, err: error }),
  }).finally(() => {
    handshakes.delete(socket)
    if (handshakes.size === 0 && proving.get(device.uid) === handshakes) proving.delete(device.uid)
  })
  if ('cause' in outcome) {
    const { reason, message } = outcome.cause
    return deps.log.warn('link.refused', { device: device.uid, remote, reason, message })
  }
  const source = sourceKey(remote)
  proved.delete(source)
  proved.add(source)
  if (proved.size > MAX_PROVED_SOURCES) proved.delete(String(proved.values().next().value))
  state.link = outcome.link
  const events = deps.agents.add({ kind: 'device', ...device }, outcome.link, remote)
  state.events = events
  // The link may have closed before this continuation ran.
  if (state.ended) events.closed(state.ended)
}
