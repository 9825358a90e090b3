// The gate before SSH: who may open a connection at all (security.md section 2.4). Nothing here does cryptography or
// asks the database. Per source means an IPv4 address or the /64 of an IPv6 address.
import { sourceKey } from '../platform/address.ts'
import type { Clock } from '../platform/clock.ts'
import { createLimiter } from '../platform/limiter.ts'

export interface AdmissionLimits {
  /** New connections a second from one source; twice as many at once. */
  readonly ratePerSource: number
  readonly unauthenticatedPerSource: number
  readonly unauthenticatedTotal: number
  /**
   * Above this many unauthenticated connections, new ones are dropped at random, all of them at the total; sources that
   * have signed in within a day are not.
   */
  readonly earlyDropFrom: number
  readonly connectionsPerSource: number
  readonly connectionsTotal: number
  /** Sources that the limits do not count: load balancers, tests. */
  readonly exempt: (address: string) => boolean
}

/** What a source may be penalised for, and for how many seconds. */
const PENALTY_SECONDS = { 'auth-failed': 5, 'bad-user': 5, 'no-auth': 1, abuse: 90 } as const
export type Offence = keyof typeof PENALTY_SECONDS
/** Penalties below this are saved up, not yet enforced; above the other they do not grow. */
const PENALTY_FLOOR_SECONDS = 15
const PENALTY_CEILING_SECONDS = 600
const MAX_PENALISED = 50_000
/** How long a source counts as known after somebody has signed in from it, and how many are remembered. */
const KNOWN_MS = 86_400_000
const MAX_KNOWN = 50_000

export type Refusal = 'rate' | 'penalty' | 'too-many-unauthenticated' | 'too-many-connections' | 'early-drop'

/** One admitted connection; the gateway tells how it goes on. */
export interface Admitted {
  /** It has signed in: it no longer counts as unauthenticated. */
  authenticated(): void
  /** The source misbehaved. */
  offend(offence: Offence): void
  /** It is over. */
  release(): void
}

export interface Admission {
  /** Asks for a connection from an address. */
  admit(address: string): Admitted | Refusal
  readonly counts: { readonly connections: number; readonly unauthenticated: number }
}

interface Source {
  connections: number
  unauthenticated: number
}

/** @param random a number from 0 to 1; injected for tests of the early drop */
export function createAdmission(limits: AdmissionLimits, clock: Clock, random: () => number): Admission {
  const rate = createLimiter(clock, limits.ratePerSource, limits.ratePerSource * 2)
  const sources = new Map<string, Source>()
  /** Milliseconds since the epoch at which a source's penalties are served. */
  const penalties = new Map<string, number>()
  /** When somebody last signed in from a source, the latest last: early drop is for strangers. */
  const known = new Map<string, number>()
  const total: Source = { connections: 0, unauthenticated: 0 }

  const isKnown = (key: string): boolean => clock.now() - (known.get(key) ?? -Infinity) < KNOWN_MS
  const remember = (key: string): void => {
    known.delete(key)
    known.set(key, clock.now())
    if (known.size > MAX_KNOWN) known.delete(String(known.keys().next().value))
  }
  const refuse = (key: string, source: Source): Refusal | undefined => {
    const servedAt = penalties.get(key) ?? 0
    if (servedAt - clock.now() >= PENALTY_FLOOR_SECONDS * 1_000) return 'penalty'
    if (servedAt <= clock.now()) penalties.delete(key)
    if (source.unauthenticated >= limits.unauthenticatedPerSource) return 'too-many-unauthenticated'
    if (source.connections >= limits.connectionsPerSource) return 'too-many-connections'
    return rate.take(key) ? undefined : 'rate'
  }
  const refuseForAll = (key: string): Refusal | undefined => {
    if (total.connections >= limits.connectionsTotal) return 'too-many-connections'
    // A flood of strangers must not keep out the people who work here; their own source's limits still hold.
    if (isKnown(key)) return undefined
    const over = total.unauthenticated - limits.earlyDropFrom
    const room = Math.max(1, limits.unauthenticatedTotal - limits.earlyDropFrom)
    return over >= 0 && random() < 0.3 + 0.7 * (over / room) ? 'early-drop' : undefined
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
      const source = sources.get(key) ?? { connections: 0, unauthenticated: 0 }
      const refusal = (exempt ? undefined : refuse(key, source)) ?? refuseForAll(key)
      if (refusal) return refusal
      sources.set(key, source)
      for (const counter of [source, total]) {
        counter.connections += 1
        counter.unauthenticated += 1
      }
      let waiting = true
      let open = true
      const settle = (): void => {
        if (!waiting) return
        waiting = false
        for (const counter of [source, total]) counter.unauthenticated -= 1
      }
      return {
        authenticated() {
          remember(key)
          settle()
        },
        offend: (offence) => {
          if (!exempt) offend(key, offence)
        },
        release() {
          if (!open) return
          open = false
          settle()
          for (const counter of [source, total]) counter.connections -= 1
          if (source.connections === 0) sources.delete(key)
        },
      }
    },
  }
}
