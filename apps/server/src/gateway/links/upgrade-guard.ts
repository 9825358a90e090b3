// Which upgrades of devices are let through to a proof: those of links and of tunnels share their limits, because each costs
// the verification of a token, a query, and a key exchange or signature.
import type { Duplex } from 'node:stream'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { createTurns } from '@bowline/base/turns'
import { refuseUpgrade } from '@bowline/link/upgrade'
import { sourceKey } from '../../platform/network/address.ts'
import type { DeviceActor } from '../../context.ts'
import type { Log } from '../../platform/log.ts'
import type { Agents } from './agents.ts'

/** Upgrades per second and source; the burst lets a rack behind one address reconnect at once. */
const UPGRADES = { perSecond: 50, burst: 2_000 }
/** Total for sources without a recent proof: each upgrade costs a token verification and a query. */
const UPGRADES_TOTAL = { perSecond: 400, burst: 4_000 }
/** Limit of sources with a proved link; they bypass the total, so that unknown sources cannot lock out known agents. */
const MAX_PROVED_SOURCES = 50_000
/** Limit of concurrent handshakes; each holds a socket for some seconds. */
const MAX_HANDSHAKES = 4_096
/** Upgrades beyond it whose token is read, so that a namespace with few handshakes takes the place of one with many. */
const MAX_BEYOND = 512
/** Per device; a newer one evicts the oldest: a token may have leaked, but the device's own agent proves the key at once. */
const MAX_HANDSHAKES_OF_DEVICE = 2
/** Upgrades, and proofs, in one turn of the event loop: after a restart thousands come at once. */
const PER_TURN = 16
/** When to try again, for upgrades that are refused because there are too many. */
export const LATER = { 'Retry-After': '5' }

export interface UpgradeGuard {
  /**
   * Refuses the upgrade, or lets it through.
   * @param serve resolves with whether a device has proved its key; owns the socket. Its failure refuses the upgrade
   */
  admit(socket: Duplex, remote: string, serve: () => Promise<boolean>): void
  /**
   * A handshake of a device begins. When there are too many, the oldest of the namespace that has the most ends for it.
   * @returns to be called when it has ended; undefined when it must not begin, because that namespace is its own
   */
  handshake(device: Pick<DeviceActor, 'uid' | 'tenant'>, socket: Duplex): (() => void) | undefined
  /** Resolves when a proof may be verified. */
  proofTurn(): Promise<void>
}

export function createUpgradeGuard({
  agents,
  isCutOff,
  isExemptSource,
  clock,
  log,
}: {
  readonly agents: Pick<Agents, 'isDraining'>
  /** Other nodes have the database, and this one does not: devices are refused. */
  readonly isCutOff: () => boolean
  /** Sources without a limit of their own, such as the address of a site with thousands of devices. */
  readonly isExemptSource: (address: string) => boolean
  readonly clock: Clock
  readonly log: Log
}): UpgradeGuard {
  const upgrades = new RateLimiter(clock, UPGRADES)
  const total = new RateLimiter(clock, UPGRADES_TOTAL)
  /** Sources in order of their last proof. */
  const proved = new Set<string>()
  /** Sockets of handshakes by device, the oldest first. */
  const proving = new Map<DeviceUid, Set<Duplex>>()
  /** The same by namespace. */
  const provingOf = new Map<TenantId, Set<Duplex>>()
  let provingCount = 0
  const upgradeTurn = createTurns(PER_TURN)
  let handshakes = 0

  function remember(source: string): void {
    proved.delete(source)
    proved.add(source)
    if (proved.size > MAX_PROVED_SOURCES) proved.delete(String(proved.values().next().value))
  }

  /** @returns false when no namespace has more handshakes than this one */
  function makeRoomFor(tenant: TenantId): boolean {
    let most = provingOf.get(tenant) ?? new Set()
    for (const sockets of provingOf.values()) if (sockets.size > most.size) most = sockets
    if (most === provingOf.get(tenant)) return false
    const [oldest] = most
    if (!oldest) return false
    most.delete(oldest)
    oldest.destroy()
    return true
  }

  return {
    admit(socket, remote, serve) {
      // Agents that follow `goaway` would otherwise reconnect here at once.
      if (agents.isDraining || isCutOff()) return refuseUpgrade(socket, 503, LATER)
      const source = sourceKey(remote)
      if (!isExemptSource(remote) && !upgrades.take(source)) return refuseUpgrade(socket, 429, LATER)
      if (handshakes >= MAX_HANDSHAKES + MAX_BEYOND || !(proved.has(source) || total.take(''))) {
        return refuseUpgrade(socket, 503, LATER)
      }
      handshakes += 1
      upgradeTurn()
        .then(serve)
        .then((hasProved) => {
          if (hasProved) remember(source)
        })
        .catch((error: unknown) => {
          log.error('link.refused', { remote, err: error })
          refuseUpgrade(socket, 503, LATER)
        })
        .finally(() => (handshakes -= 1))
    },
    proofTurn: createTurns(PER_TURN),
    handshake({ uid, tenant }, socket) {
      if (provingCount >= MAX_HANDSHAKES && !makeRoomFor(tenant)) return undefined
      provingCount += 1
      const sockets = addTo(proving, uid, socket)
      const [oldest] = sockets
      if (oldest && sockets.size > MAX_HANDSHAKES_OF_DEVICE) {
        sockets.delete(oldest)
        oldest.destroy()
      }
      addTo(provingOf, tenant, socket)
      return () => {
        provingCount -= 1
        removeFrom(proving, uid, socket)
        removeFrom(provingOf, tenant, socket)
      }
    },
  }
}

function addTo<Key>(sets: Map<Key, Set<Duplex>>, key: Key, socket: Duplex): Set<Duplex> {
  const sockets = sets.get(key) ?? new Set()
  sets.set(key, sockets.add(socket))
  return sockets
}

function removeFrom<Key>(sets: Map<Key, Set<Duplex>>, key: Key, socket: Duplex): void {
  const sockets = sets.get(key)
  sockets?.delete(socket)
  if (sockets?.size === 0) sets.delete(key)
}
