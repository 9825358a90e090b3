// The endpoints that existing agents dial: `/ssh/connection` and `/agent/connection`. A device token names the device, which
// proves nothing: whoever knows what members see of a device can get one. So a tunnel counts only when the SSH server at its
// far end has proved the device's registered key.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import type { LinkCause } from '@bowline/link/api'
import { type Transport, acceptByteStream } from '@bowline/link/byte-stream'
import { refuseUpgrade } from '@bowline/link/upgrade'
import type { DeviceActor } from '../../../context.ts'
import { type LinkEndpointDeps, deviceOf } from '../../links/link-endpoint.ts'
import { LATER } from '../../links/upgrade-guard.ts'
import type { UpgradeHandler } from '../../links/upgrades.ts'
import { registerBridge } from '../device/bridged-link.ts'
import type { DeviceDoor, KeyLogin } from '../device/door.ts'
import { InnerFailure, dialInner } from '../device/inner-connection.ts'
import { DialledTunnel } from './dialled-tunnel.ts'
import { MultiplexedTunnel } from './multiplexed-tunnel.ts'
import { type PickUps, createPickUps } from './pick-ups.ts'
import type { Tunnel } from './tunnel.ts'

/** Path of transport 1. */
export const DIALLED_PATH = '/ssh/connection'
/** Path of transport 2. */
export const MULTIPLEXED_PATH = '/agent/connection'

/** What is known of a device with an existing agent. */
export interface AgentDevice {
  readonly publicKey: string
  /** Its public key as SSH has it; undefined for a key that SSH does not have. */
  readonly sshKey: { readonly type: string; readonly blob: Uint8Array } | undefined
  /** Version of the agent, as it says. */
  readonly version: string
}

export interface TunnelEndpointDeps extends LinkEndpointDeps<AgentDevice> {
  readonly clock: Clock
  /** The key by which the agent lets people in, for one login. @param user account on the device */
  readonly keyLogin: (device: DeviceActor, user: string) => Promise<KeyLogin>
}

export interface TunnelEndpoints {
  /** Transport 1. */
  readonly dialled: UpgradeHandler
  readonly pickUp: UpgradeHandler
  /** Transport 2. */
  readonly multiplexed: UpgradeHandler
}

type MakeTunnel = (transport: Transport, closed: (cause: LinkCause) => void) => Tunnel

export function createTunnelEndpoints(deps: TunnelEndpointDeps): TunnelEndpoints {
  const { clock, guard } = deps
  const pickUps: PickUps = createPickUps(clock)
  const serve =
    (make: MakeTunnel): UpgradeHandler =>
    (request, socket, head, { remote }) =>
      guard.admit(socket, remote, () => admit(deps, make, { request, socket, head, remote }))
  return {
    dialled: serve((transport, closed) => new DialledTunnel(transport, clock, pickUps, closed)),
    multiplexed: serve((transport, closed) => new MultiplexedTunnel(transport, clock, closed)),
    pickUp: (request, socket, head) => pickUps.upgrade(request, socket, head),
  }
}

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly remote: string
}

/** @returns whether the device has proved its key */
async function admit(deps: TunnelEndpointDeps, make: MakeTunnel, upgrade: Upgrade): Promise<boolean> {
  const { request, socket, remote } = upgrade
  const named = await deviceOf(deps, request, socket, remote)
  if (!named) return false
  const ended = deps.guard.handshake(named.device, socket)
  if (!ended) {
    refuseUpgrade(socket, 503, LATER)
    return false
  }
  const proved = await prove(deps, make, upgrade, named).finally(ended)
  if (!proved) return false
  const { door, tunnel, state } = proved
  state.closed = registerBridge(deps, { device: named.device, door, tunnel, remote })
  // The tunnel may have ended during the proof.
  if (state.ended) state.closed(state.ended)
  return true
}

/** The tunnel of an upgrade whose far end has the device's key; undefined when it has ended. */
async function prove(
  deps: TunnelEndpointDeps,
  make: MakeTunnel,
  { request, socket, head, remote }: Upgrade,
  { device, found }: { readonly device: DeviceActor; readonly found: AgentDevice },
) {
  const { clock, log } = deps
  const transport = acceptByteStream(request, socket, head, clock)
  if (!transport) return undefined
  const state: { ended?: LinkCause; closed?: (cause: LinkCause) => void } = {}
  const tunnel = make(transport, (cause) => {
    state.ended = cause
    state.closed?.(cause)
  })
  const door = doorOf(deps, device, found, tunnel)
  try {
    const { client } = await dialInner(door, clock, { closed: () => undefined })
    client.disconnect({ by: 'local', reason: 'done', message: 'The key is proved.' })
  } catch (error) {
    if (!(error instanceof InnerFailure)) throw error
    const { reason, message } = error.cause
    log.warn('link.refused', { device: device.uid, remote, reason, message })
    tunnel.close(error.cause)
    return undefined
  }
  return { door, tunnel, state }
}

function doorOf(deps: TunnelEndpointDeps, device: DeviceActor, found: AgentDevice, tunnel: Tunnel): DeviceDoor {
  const { sshKey, version } = found
  return {
    openSsh: () => tunnel.openSsh(),
    openTcp: (host, port) => tunnel.openTcp(host, port),
    hostKey: () => Promise.resolve(sshKey?.blob ?? new Uint8Array(0)),
    keyLogin: (user) => deps.keyLogin(device, user),
    servedBy: `a ShellHub agent (${version})`,
  }
}
