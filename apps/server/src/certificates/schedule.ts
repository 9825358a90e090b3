// When a certificate is renewed, when a failed attempt is repeated, and when its end is worth a warning. Pure.
import type { CertificateState } from '@bowline/contract/operations/instance'
import type { RenewalWindow } from './acme/renewal-info.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Milliseconds since the epoch. */
export interface Life {
  readonly from: number
  readonly to: number
}

/** Share of a certificate's life after which it is renewed. */
const RENEWED_AFTER = 2 / 3
/** The same for nodes and installations that were set up together, which should not come together. */
const SPREAD = 1 / 50
/** An authority that asks to be asked later than this is asked anyway, or it could not call a renewal early. */
const ASK_MS = { least: 15 * MINUTE_MS, usual: 6 * HOUR_MS, most: DAY_MS }

/** Time of the renewal when the authority does not say. @param random from 0 to 1 */
export function renewalTime({ from, to }: Life, random: number): number {
  return from + (to - from) * (RENEWED_AFTER + SPREAD * random)
}

/**
 * Time of the renewal within the authority's window (RFC 9773 section 4.2). Never so late that a failure could not be
 * repeated before the end.
 * @param position from 0 to 1, the same each time for one certificate
 */
export function renewalTimeWithin(
  window: Pick<RenewalWindow, 'start' | 'end'>,
  { from, to }: Life,
  position: number,
): number {
  const chosen = window.start + Math.max(0, window.end - window.start) * position
  return Math.min(chosen, to - (to - from) / 10)
}

/** When to ask the authority next, in milliseconds from now. @param waitMs what it has asked for; 0 */
export function askDelayMs(waitMs: number): number {
  return waitMs === 0 ? ASK_MS.usual : Math.min(ASK_MS.most, Math.max(ASK_MS.least, waitMs))
}

/** Authorities allow five failed proofs of a name in an hour: this makes four at most. */
const FIRST_RETRY_MS = 10 * MINUTE_MS
/** What no authority has counted, such as a network that is not up yet. */
const FIRST_UNCOUNTED_RETRY_MS = MINUTE_MS / 2
const LONGEST_RETRY_MS = 6 * HOUR_MS

/**
 * Delay after a failed attempt in milliseconds: it doubles each time, three quarters of it at least.
 * @param failures including this one
 * @param failed whether the authority counts the failure, and how long it asks to wait; 0 if it does not say
 * @param random from 0 to 1
 */
export function retryDelayMs(
  failures: number,
  { isRefusal, waitMs }: { readonly isRefusal: boolean; readonly waitMs: number },
  random: number,
): number {
  const first = isRefusal ? FIRST_RETRY_MS : FIRST_UNCOUNTED_RETRY_MS
  const bound = Math.min(LONGEST_RETRY_MS, first * 2 ** Math.max(0, failures - 1))
  return Math.max(bound * (0.75 + 0.25 * random), Math.min(waitMs, 7 * DAY_MS))
}

/** @param life undefined while there is no certificate */
export function stateOf(life: Life | undefined, now: number): CertificateState {
  if (life === undefined) return 'missing'
  if (life.to <= now) return 'expired'
  // Certificates of a few days are renewed late in their life, too.
  const soon = Math.min(14 * DAY_MS, (life.to - life.from) / 4)
  return life.to - now < soon ? 'ending' : 'valid'
}
