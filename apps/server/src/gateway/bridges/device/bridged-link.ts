// The link of a device that runs no agent of ours: its far end is a bridge to the device's own SSH server.
import type { Clock } from '@bowline/base/clock'
import type { Link, LinkCause, LinkHandler } from '@bowline/link/api'
import { localLink } from '@bowline/link/local'
import type { DeviceActor } from '../../../context.ts'
import type { Log } from '../../../platform/log.ts'
import type { Agents, LinkEvents } from '../../links/agents.ts'
import type { ReverseStreams } from '../../links/reverse-streams.ts'
import { bridgeHandler } from './bridge.ts'
import type { DeviceDoor } from './door.ts'

export interface BridgedLinkDeps {
  readonly agents: Agents
  readonly reverse: ReverseStreams
  readonly clock: Clock
  readonly log: Log
}

/** The device's connection, as the link needs it. */
export interface BridgeTunnel {
  /** True if open streams live on when the tunnel has ended: each is a connection of its own. */
  readonly leavesStreams: boolean
  /** Ends the tunnel. */
  close(cause: LinkCause): void
}

/** Parts of the link of a bridged device. */
export interface BridgedDevice {
  readonly device: DeviceActor
  readonly door: DeviceDoor
  readonly tunnel: BridgeTunnel
  readonly remote: string
}

/** Makes the tunnel the newest link of its device. @returns to be called when the tunnel has ended */
export function registerBridge(
  { agents, reverse, clock, log }: BridgedLinkDeps,
  { device, door, tunnel, remote }: BridgedDevice,
): (cause: LinkCause) => void {
  let logins = 0
  /** Set when no more logins are taken; the link closes with the last. */
  let leaving: LinkCause | undefined
  const near: { events?: LinkEvents } = {}
  const bridge = bridgeHandler({
    door,
    clock,
    changed(count) {
      logins = count
      if (leaving && logins === 0) ends.gateway.close(leaving)
    },
  })
  const handler: LinkHandler = {
    open: (kind, header, stream) => reverse.open(link, kind, header, stream),
    closed(cause) {
      tunnel.close(cause)
      near.events?.closed(cause)
    },
  }
  const ends = localLink({
    gateway: handler,
    device: bridge,
    clock,
    report: (error, callback) => log.error('link.refused', { device: device.uid, callback, err: error }),
  })
  bridge.attach(ends.device)

  /** Lets running logins go on where each has a connection of its own, and ends the link with them. */
  function leave(cause: LinkCause): void {
    if (logins === 0 || !tunnel.leavesStreams) return ends.gateway.close(cause)
    leaving ??= cause
    near.events?.lingers(cause)
    tunnel.close(cause)
  }

  /** As the gateway sees the device. */
  const link: Link = {
    open: (...open) => ends.gateway.open(...open),
    get streamCount() {
      return ends.gateway.streamCount
    },
    // Existing agents know no such message: they dial anew when their tunnel ends.
    goaway(cause) {
      if (logins === 0 || tunnel.leavesStreams) leave(cause)
      else leaving ??= cause
    },
    close: (cause) => (cause.reason === 'displaced' ? leave(cause) : ends.gateway.close(cause)),
  }
  near.events = agents.add(device, link, remote, bridge)
  return leave
}
