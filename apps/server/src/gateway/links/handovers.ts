// Links that a newer version of the device's agent takes over. What runs on one goes on, for a day at most, and it is
// closed with the last of it: a process that keeps a link by its own will, such as one of a copied device, would be trusted
// with what people do there.
import type { Clock } from '@bowline/base/clock'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { LIMITS } from '@bowline/contract/limits'
import type { Link, LinkCause } from '@bowline/link/api'
import type { DeviceActor } from '../../context.ts'

const { handedOverHours } = LIMITS.agentUpdates
const LIMIT_MS = handedOverHours * 3_600_000
/** Former links of one device; the oldest beyond that is closed. */
const MAX_KEPT = 3
/** A stream may be about to be opened when a link is seen without any. */
const IDLE_LOOKS = 2

const EMPTY: LinkCause = { by: 'gateway', reason: 'handed-over', message: 'An updated agent has taken over.' }
const OVERDUE: LinkCause = {
  by: 'gateway',
  reason: 'handed-over',
  message: `The agent was updated ${handedOverHours} hours ago: what ran since then has ended.`,
}

/** A link, the epoch of its claim, and the namespace of its device. */
export interface HeldLink {
  readonly link: Link
  readonly epoch: number
  readonly device: DeviceActor
}

interface Kept {
  readonly held: HeldLink
  readonly since: number
  idleLooks: number
}

export class Handovers {
  readonly #clock: Clock
  /** Links whose agent has announced that another process takes over. */
  readonly #announced = new Set<Link>()
  readonly #kept = new Map<Link, Kept>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  announce(link: Link): void {
    this.#announced.add(link)
  }

  isAnnounced(link: Link): boolean {
    return this.#announced.has(link)
  }

  /** A newer link has replaced one that announced it. */
  keep(held: HeldLink): void {
    this.#kept.set(held.link, { held, since: this.#clock.monotonic(), idleLooks: 0 })
    const ofDevice = this.#of(held.device.uid)
    if (ofDevice.length > MAX_KEPT) ofDevice[0]?.link.close(EMPTY)
  }

  /** A link that {@link keep} has kept. */
  before(uid: DeviceUid, epoch: number): HeldLink | undefined {
    return this.#of(uid).find((held) => held.epoch === epoch)
  }

  /** Closes links on which nothing runs any more, and those that are kept for too long. Called every ten seconds. */
  look(): void {
    for (const [link, kept] of this.#kept) {
      kept.idleLooks = link.streamCount === 0 ? kept.idleLooks + 1 : 0
      if (kept.idleLooks >= IDLE_LOOKS) link.close(EMPTY)
      else if (this.#clock.monotonic() - kept.since >= LIMIT_MS) link.close(OVERDUE)
    }
  }

  /** The link has ended. */
  forget(link: Link): void {
    this.#announced.delete(link)
    this.#kept.delete(link)
  }

  #of(uid: DeviceUid): HeldLink[] {
    return [...this.#kept.values()].flatMap(({ held }) => (held.device.uid === uid ? [held] : []))
  }
}
