// Admission control before SSH, without cryptography or database queries. A source is an IPv4 address or the /64 of an
// IPv6 address. Limits per source count only unauthenticated connections: an office behind one address, a CI runner or a
// job with many forks never hits a limit made for attackers. Authenticated connections count per account and namespace
// (session-budget.ts).
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { sourceKey } from '../../platform/network/address.ts'

/** Random early drop like sshd's MaxStartups. */
export interface DropCurve {
  /** From this many unauthenticated connections on, new ones are dropped with probability `rate` (0 to 1) … */
  readonly start: number
  readonly rate: number
  /** … which grows linearly to 1 at this many. */
  readonly full: number
}

export interface AdmissionLimits {
  /** Unauthenticated connections per second and source; the burst is {@link BURST_SECONDS} times that. */
  readonly ratePerSource: number
  /** Unauthenticated connections per second of all unknown sources together, with the same burst factor. */
  readonly rateTotal: number
  readonly unauthenticatedPerSource: DropCurve
  readonly unauthenticatedTotal: DropCurve
  readonly connectionsTotal: number
  /** Sources exempt from the limits: load balancers, tests. */
  readonly exempt: (address: string) => boolean
}

const BURST_SECONDS = 10
/** Unknown sources are dropped at random once less than this share of their common burst is left. */
const PRESSURE_SHARE = 0.5
/** A source that has used this share of its own burst gets the full drop probability, others proportionally less. */
const HEAVY_SHARE = 0.25

/**
 * Penalties in seconds. A connection is penalised once, when it ends unauthenticated. The values are those of OpenSSH's
 * PerSourcePenalties.
 */
const PENALTY_SECONDS = { 'auth-failed': 5, 'no-auth': 1, abuse: 90 } as const
export type Offence = keyof typeof PENALTY_SECONDS
/** Penalties up to this are accumulated, not enforced. */
const PENALTY_FLOOR_SECONDS = 15
/** The same for sources with a recent login: most likely a typing error, or one attacker behind the same NAT. */
const KNOWN_PENALTY_FLOOR_SECONDS = 300
const PENALTY_CEILING_SECONDS = 600
const MAX_PENALISED = 50_000
/** A source is known for this long after a login; limit of known sources. */
const KNOWN_MS = 86_400_000
const MAX_KNOWN = 50_000

export type Refusal = 'rate' | 'penalty' | 'too-many-unauthenticated' | 'too-many-connections' | 'early-drop'

/** One admitted connection; the gateway reports its progress. */
export interface Admitted {
  /** Logged in: no longer counts as unauthenticated, nor towards the rates. */
  authenticated(): void
  /** Penalises the source. */
  offend(offence: Offence): void
  /** The connection has closed. */
  release(): void
}

export interface Admission {
  /** Admits or refuses a connection from an address. */
  admit(address: string): Admitted | Refusal
  readonly counts: { readonly connections: number; readonly unauthenticated: number }
}

/** Drop probability of a new connection with `count` unauthenticated ones open. */
function dropProbability({ start, rate, full }: DropCurve, count: number): number {
  if (count >= full) return 1
  return count < start ? 0 : rate + (1 - rate) * ((count - start) / (full - start))
}

/** @param random returns a number in [0, 1); injected for tests of the early drop */
export function createAdmission(limits: AdmissionLimits, clock: Clock, random: () => number): Admission {
  const burst = limits.ratePerSource * BURST_SECONDS
  const burstTotal = limits.rateTotal * BURST_SECONDS
  const rate = new RateLimiter(clock, { perSecond: limits.ratePerSource, burst })
  const unknownRate = new RateLimiter(clock, { perSecond: limits.rateTotal, burst: burstTotal })
  /** Unauthenticated connections of each source. */
  const sources = new Map<string, number>()
  /** End of a source's penalties, in milliseconds since the epoch. */
  const penalties = new Map<string, number>()
  /** Time of the last login by source, the latest last: known sources bypass the limits shared by unknown ones. */
  const known = new Map<string, number>()
  const total = { connections: 0, unauthenticated: 0 }

  const isKnown = (key: string): boolean => clock.now() - (known.get(key) ?? -Infinity) < KNOWN_MS
  const remember = (key: string): void => {
    known.delete(key)
    known.set(key, clock.now())
    if (known.size > MAX_KNOWN) known.delete(String(known.keys().next().value))
  }
  const count = (key: string, by: 1 | -1): void => {
    const left = (sources.get(key) ?? 0) + by
    if (left > 0) sources.set(key, left)
    else sources.delete(key)
    total.unauthenticated += by
  }
  const isPenalised = (key: string): boolean => {
    const left = (penalties.get(key) ?? 0) - clock.now()
    if (left <= 0) penalties.delete(key)
    return left > (isKnown(key) ? KNOWN_PENALTY_FLOOR_SECONDS : PENALTY_FLOOR_SECONDS) * 1_000
  }
  const refuseSource = (key: string): Refusal | undefined => {
    if (isPenalised(key)) return 'penalty'
    if (random() < dropProbability(limits.unauthenticatedPerSource, sources.get(key) ?? 0))
      return 'too-many-unauthenticated'
    return rate.take(key) ? undefined : 'rate'
  }
  /** A handshake costs milliseconds of CPU: unknown sources share a budget, and the heaviest are dropped first. */
  const refuseUnknown = (key: string): Refusal | undefined => {
    if (random() < dropProbability(limits.unauthenticatedTotal, total.unauthenticated)) return 'early-drop'
    const pressure = 1 - unknownRate.left('') / (burstTotal * PRESSURE_SHARE)
    const weight = Math.min(1, (burst - rate.left(key)) / (burst * HEAVY_SHARE))
    if (pressure > 0 && random() < pressure * weight) return 'early-drop'
    return unknownRate.take('') ? undefined : 'early-drop'
  }
  const offend = (key: string, offence: Offence): void => {
    const now = clock.now()
    const from = Math.max(now, penalties.get(key) ?? 0)
    penalties.set(key, Math.min(from + PENALTY_SECONDS[offence] * 1_000, now + PENALTY_CEILING_SECONDS * 1_000))
    if (penalties.size > MAX_PENALISED) penalties.delete(String(penalties.keys().next().value))
  }

  return {
    counts: total,
    admit(address) {
      const key = sourceKey(address)
      const exempt = limits.exempt(address)
      // A flood from unknown sources must not lock out known ones; their own source's limits still apply.
      const isUnknown = !isKnown(key)
      const refusal =
        (total.connections >= limits.connectionsTotal ? 'too-many-connections' : undefined) ??
        (exempt ? undefined : refuseSource(key)) ??
        (isUnknown ? refuseUnknown(key) : undefined)
      if (refusal) return refusal
      count(key, 1)
      total.connections += 1
      let waiting = true
      let open = true
      const settle = (): void => {
        if (waiting) count(key, -1)
        waiting = false
      }
      return {
        authenticated() {
          remember(key)
          if (!waiting) return
          settle()
          if (!exempt) rate.refund(key)
          if (isUnknown) unknownRate.refund('')
        },
        offend: (offence) => {
          if (!exempt) offend(key, offence)
        },
        release() {
          if (!open) return
          open = false
          settle()
          total.connections -= 1
        },
      }
    },
  }
}
