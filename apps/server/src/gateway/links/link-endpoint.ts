// The endpoint that agents dial: `/agent/link`. A device token names the device; the link itself then proves the
// device's key before it carries anything else.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { HANDING_OVER, type Link, type LinkCause, type LinkHandler } from '@bowline/link/api'
import { acceptLink } from '@bowline/link/accept'
import { systemClock } from '@bowline/base/clock'
import { refuseUpgrade } from '@bowline/link/upgrade'
import type { DeviceActor } from '../../context.ts'
import type { Log } from '../../platform/log.ts'
import type { Agents, LinkEvents } from './agents.ts'
import type { HealthPoller, PolledLink } from './health-poller.ts'
import type { ReverseStreams } from './reverse-streams.ts'
import { LATER, type UpgradeGuard } from './upgrade-guard.ts'
import type { UpgradeHandler } from './upgrades.ts'

export interface LinkEndpointDeps<Found extends { readonly publicKey: string } = { readonly publicKey: string }> {
  readonly agents: Agents
  readonly reverse: ReverseStreams
  readonly guard: UpgradeGuard
  /** Polls the health of devices; undefined: switched off. */
  readonly health?: Pick<HealthPoller, 'add'> | undefined
  readonly log: Log
  readonly readToken: (token: string) => Promise<Omit<DeviceActor, 'kind'> | undefined>
  /** Public key of a device; undefined when it has been removed. */
  readonly findKey: (device: Omit<DeviceActor, 'kind'>) => Promise<Found | undefined>
}

const MAX_TOKEN_LENGTH = 4_096

/** Handles upgrades at `/agent/link`. */
export function createLinkEndpoint(deps: LinkEndpointDeps): UpgradeHandler {
  return (request, socket, head, { remote }) =>
    deps.guard.admit(socket, remote, () => admit(deps, request, socket, head, remote))
}

/** Device that the token of an upgrade names; undefined when the upgrade was refused. */
export async function deviceOf<Found extends { readonly publicKey: string }>(
  deps: Pick<LinkEndpointDeps<Found>, 'log' | 'readToken' | 'findKey'>,
  request: IncomingMessage,
  socket: Duplex,
  remote: string,
): Promise<{ readonly device: DeviceActor; readonly found: Found } | undefined> {
  const token = (request.headers.authorization ?? '').replace(/^bearer +/i, '')
  const device = token.length <= MAX_TOKEN_LENGTH ? await deps.readToken(token) : undefined
  const found = device && (await deps.findKey(device))
  if (device && found) return { device: { kind: 'device', ...device }, found }
  deps.log.debug('link.refused', { remote, reason: device ? 'removed' : 'token' })
  refuseUpgrade(socket, 401)
  return undefined
}

/** @returns whether the device has proved its key */
async function admit(
  deps: LinkEndpointDeps,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  remote: string,
): Promise<boolean> {
  const named = await deviceOf(deps, request, socket, remote)
  if (!named) return false
  const { device, found } = named
  const state: {
    link?: Link
    events?: LinkEvents
    health?: PolledLink | undefined
    ended?: LinkCause
    handsOver?: true
  } = {}
  const handler: LinkHandler = {
    open: (kind, header, stream) => deps.reverse.open(state.link, kind, header, stream),
    goaway(cause) {
      if (cause.reason !== HANDING_OVER) return
      state.handsOver = true
      state.events?.handsOver()
    },
    alive: (roundTripMs) => state.health?.alive(roundTripMs),
    closed(cause) {
      state.ended = cause
      state.health?.closed()
      state.events?.closed(cause)
    },
  }
  const ended = deps.guard.handshake(device, socket)
  if (!ended) {
    refuseUpgrade(socket, 503, LATER)
    return false
  }
  const proof = { uid: device.uid, publicKeyPem: found.publicKey }
  const outcome = await acceptLink(request, socket, head, proof, {
    handler,
    clock: systemClock,
    turn: () => deps.guard.proofTurn(),
    report: (error, callback) => deps.log.error('link.refused', { device: device.uid, callback, err: error }),
  }).finally(ended)
  if ('cause' in outcome) {
    const { reason, message } = outcome.cause
    deps.log.warn('link.refused', { device: device.uid, remote, reason, message })
    return false
  }
  state.link = outcome.link
  const events = deps.agents.add(device, outcome.link, remote)
  state.events = events
  if (state.handsOver) events.handsOver()
  // The link may have closed before this continuation ran.
  if (state.ended) events.closed(state.ended)
  else state.health = deps.health?.add(device, outcome.link)
  return true
}
