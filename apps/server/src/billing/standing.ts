// Allowances of a namespace by the status of its subscription:
//
//   status                                    devices      above the limit
//   active, trialing, to_cancel_at_end_…      any number   –
//   past_due                                  any number   – (the provider tries the card again for days)
//   incomplete                                the limit    nothing was allowed beyond it before
//   canceled, unpaid, paused, incomplete_…,   the limit    connected to for a week after the last active status, then
//   inactive after an active one                           not until devices are chosen
//   inactive, never subscribed                the limit    not connected to
//
// Nothing is removed and no session ends by itself; only choosing devices returns others to pending.
import type { SubscriptionStatus } from '@bowline/contract/schemas/billing'

export const ACTIVE_STATUSES: ReadonlySet<SubscriptionStatus> = new Set([
  'active',
  'trialing',
  'past_due',
  'to_cancel_at_end_of_period',
])

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
