// Budgets of the SSH gateway and what the server may dial, from the settings.
import { totalmem } from 'node:os'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter, type RateLimiterOptions } from '@bowline/base/rate-limiter'
import type { ServerConfig } from '../config.ts'
import { createAdmission } from '../gateway/admission/admission.ts'
import { createSessionBudget } from '../gateway/login/session-budget.ts'
import type { InstanceKeys } from '../instance/keys.ts'
import type { Log } from '../platform/log.ts'
import { addressRanges } from '../platform/network/address.ts'
import type { EgressRules } from '../platform/network/egress.ts'

/** Limits of connections by source and in all, and of sessions by namespace and account. */
export function budgets({ settings, isExemptSource }: ServerConfig, clock: Clock) {
  return {
    budget: createSessionBudget({
      perNode: settings.BOWLINE_MAX_SESSIONS,
      perNamespace: settings.BOWLINE_MAX_SESSIONS_PER_NAMESPACE,
      perAccount: settings.BOWLINE_MAX_SESSIONS_PER_ACCOUNT,
    }),
    admission: createAdmission(
      {
        ratePerSource: settings.BOWLINE_CONNECTION_RATE,
        rateTotal: settings.BOWLINE_CONNECTION_RATE_TOTAL,
        unauthenticatedPerSource: settings.BOWLINE_MAX_UNAUTHENTICATED,
        unauthenticatedTotal: settings.BOWLINE_MAX_UNAUTHENTICATED_TOTAL,
        connectionsTotal: settings.BOWLINE_MAX_SESSIONS,
        exempt: isExemptSource,
      },
      clock,
      Math.random,
    ),
  }
}

/** Bytes that connections may hold for sides that do not read. */
export function maxHeldBytes({ BOWLINE_MAX_UNREAD_MEGABYTES: megabytes }: ServerConfig['settings']): number {
  if (megabytes !== undefined) return megabytes * 1_000_000
  // 0 or an absurdly large number without a limit.
  return Math.min(totalmem(), process.constrainedMemory() || Infinity) / 4
}

/** Rules for addresses that people name. @param log where the operator sees what was refused */
export function egressRules(settings: ServerConfig['settings'], log?: Pick<Log, 'warn'>): EgressRules {
  return {
    privateNetworks: settings.BOWLINE_EDITION !== 'cloud',
    allowed: addressRanges(settings.BOWLINE_EGRESS_ALLOWED),
    refused: (host, address) => log?.warn('egress.refused', { host, address }),
  }
}

/** Settings of the gateway's SSH transport. */
export function sshOptions(
  { BOWLINE_MAX_CHANNELS: channels, BOWLINE_SSH_COMPATIBILITY: compatibility }: ServerConfig['settings'],
  keys: Pick<InstanceKeys, 'sshHostPem' | 'olderSshHostPem'>,
) {
  return {
    hostKeys: [keys.sshHostPem],
    compatibility,
    olderHostKeys: [keys.olderSshHostPem],
    // Clients derive server behaviour from OpenSSH's name and version: libssh picks the order of SFTP symlink
    // arguments by it. It reads one digit before the point.
    software: 'OpenSSH_9.9 Bowline',
    methods: ['publickey', 'keyboard-interactive', 'password'] as const,
    limits: { channels, channelOpensPerSecond: Math.ceil(channels / 2) },
  }
}

/** Rate limit per source. Sources of BOWLINE_UNCOUNTED_SOURCES have none. */
export class SourceLimiter extends RateLimiter {
  readonly #isExempt: (address: string) => boolean

  constructor(clock: Clock, isExempt: (address: string) => boolean, options: RateLimiterOptions) {
    super(clock, options)
    this.#isExempt = isExempt
  }

  /** @param key as sourceKey has it: an address, or an IPv6 network of 64 bits */
  override take(key: string, cost?: number): boolean {
    return this.#isExempt(key.replace('/64', '')) || super.take(key, cost)
  }
}

/** Calls about sign-ins with a passkey per second and source: a sign-in is two of them. */
export const PASSKEYS = { perSecond: 10, burst: 100 }
/** Registrations per second and source: enough for a rack behind one address. */
export const REGISTRATIONS = { perSecond: 20, burst: 200 }

/** Test mails per second and person: each dials a server that the person names. */
export const TEST_MAILS = { perSecond: 0.1, burst: 20 }
/** Exports of a list per second and person: each may read all of it. */
export const EXPORTS = { perSecond: 0.1, burst: 20 }
/** Calls per second and namespace that ask the payment provider, which answers a hundred a second for the whole server. */
export const BILLING = { perSecond: 0.5, burst: 60 }
/** Terminals per second and source: people open them by hand. */
export const TERMINALS = { perSecond: 5, burst: 50 }
