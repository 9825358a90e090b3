// Allowances of a namespace by the status of its subscription. One table, here; the page "Billing" of the documentation
// says the same, and a test holds every row of both.
//
// Above the limit and after the grace period nothing new is connected: no login by ssh or a web terminal, no request of a
// tunnel. Nothing is removed and nothing that runs ends; only choosing devices returns others to pending.
import type { SubscriptionStatus } from '@bowline/contract/schemas/billing'

export interface Standing {
  /** Devices that can be accepted: `any` number, or up to the `limit`. */
  readonly devices: 'any' | 'limit'
  /** Above the limit: connected to `always`, or for a week of `grace` after the last active status. */
  readonly above: 'always' | 'grace'
  /** Headline of the page Billing of the console. */
  readonly seen: string
}

export const STANDINGS: Readonly<Record<SubscriptionStatus, Standing>> = {
  active: { devices: 'any', above: 'always', seen: 'Subscribed' },
  trialing: { devices: 'any', above: 'always', seen: 'Trial' },
  to_cancel_at_end_of_period: { devices: 'any', above: 'always', seen: 'Canceled, still running' },
  // The provider tries the card again for days.
  past_due: { devices: 'any', above: 'always', seen: 'A payment has failed' },
  // Nothing was allowed beyond the limit before.
  incomplete: { devices: 'limit', above: 'grace', seen: 'First payment not completed' },
  incomplete_expired: { devices: 'limit', above: 'grace', seen: 'First payment not completed in time' },
  canceled: { devices: 'limit', above: 'grace', seen: 'Ended' },
  unpaid: { devices: 'limit', above: 'grace', seen: 'Ended due to non-payment' },
  paused: { devices: 'limit', above: 'grace', seen: 'Paused' },
  // After an active status only.
  inactive: { devices: 'limit', above: 'grace', seen: 'Free' },
}

const STATUSES = Object.entries(STANDINGS) as readonly [SubscriptionStatus, Standing][]

export const ACTIVE_STATUSES: ReadonlySet<SubscriptionStatus> = new Set(
  STATUSES.flatMap(([status, { devices }]) => (devices === 'any' ? [status] : [])),
)

/** Time for which a namespace above its limit is connected to after its subscription, in milliseconds. */
export const GRACE_MS = 7 * 86_400_000

/** Device limit that means any number. */
export const UNLIMITED = -1

/**
 * Allowances of a namespace.
 * @param accepted accepted devices
 * @param slots accepted devices and removed ones that still count
 * @param graceUntil end of the grace period, in milliseconds since the epoch
 */
export function allowances(
  { limit, accepted, slots, graceUntil }: { limit: number; accepted: number; slots: number; graceUntil: number },
  now: number,
): { can_accept: boolean; can_connect: boolean } {
  if (limit <= 0) return { can_accept: true, can_connect: true }
  return { can_accept: slots < limit, can_connect: accepted <= limit || now < graceUntil }
}
