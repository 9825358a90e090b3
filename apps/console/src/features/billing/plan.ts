// The state of a plan in words: what it is, and what happens next.
import type { BillingStanding } from '@bowline/contract/schemas/billing'
import { formatCount } from '../../ui/text/numbers.ts'
import { formatDay } from './money.ts'
import { billingMessages as texts } from './messages.ts'

const DAY_MS = 86_400_000
const { states, nexts } = texts

export interface PlanWords {
  readonly state: string
  readonly next: string
  /** Something has to be done soon. */
  readonly isUrgent: boolean
}

/** True when more devices are accepted than the plan allows. */
export function isOverLimit({ limit, devices }: Pick<BillingStanding, 'limit' | 'devices'>): boolean {
  return limit > 0 && devices > limit
}

/** Days of grace that are left, begun ones counted; 0 when there is none. */
export function graceDays({ grace_until: until }: Pick<BillingStanding, 'grace_until'>, nowMs: number): number {
  return until === null ? 0 : Math.max(0, Math.ceil((Date.parse(until) - nowMs) / DAY_MS))
}

/** @param nowMs milliseconds since the epoch */
export function describePlan(standing: BillingStanding, nowMs: number): PlanWords {
  const { status, limit, end_at: endAt } = standing
  const end = endAt === null ? '' : formatDay(endAt)
  switch (status) {
    case 'active':
      return { state: states.active, next: nexts.active(end), isUrgent: false }
    case 'trialing':
      return { state: states.trialing, next: nexts.trialing(end), isUrgent: false }
    case 'past_due':
      return { state: states.past_due, next: nexts.pastDue, isUrgent: true }
    case 'to_cancel_at_end_of_period':
      return { state: states[status], next: nexts.cancelled(end), isUrgent: false }
    case 'incomplete':
      return { state: states.incomplete, next: nexts.incomplete, isUrgent: true }
    default: {
      // Never subscribed, or no longer.
      const wasPaid = status !== 'inactive' || standing.grace_until !== null
      const state = wasPaid ? states[status] : limit > 0 ? states.free : states.granted
      return { state, ...withoutSubscription(standing, wasPaid, nowMs) }
    }
  }
}

function withoutSubscription(
  standing: BillingStanding,
  wasPaid: boolean,
  nowMs: number,
): Pick<PlanWords, 'next' | 'isUrgent'> {
  const { limit, grace_until: until, can_connect: canConnect } = standing
  if (limit <= 0) return { next: nexts.granted, isUrgent: false }
  if (!isOverLimit(standing)) {
    const count = formatCount(limit)
    return { next: wasPaid ? nexts.within(count) : nexts.free(count), isUrgent: false }
  }
  const days = graceDays(standing, nowMs)
  if (until === null || days === 0 || !canConnect) return { next: nexts.refused, isUrgent: true }
  return { next: nexts.grace(formatDay(until), texts.daysLeft(days)), isUrgent: true }
}

/** True in states in which the server begins a new subscription. */
export function maySubscribe({ active, status }: Pick<BillingStanding, 'active' | 'status'>): boolean {
  return !active && status !== 'unpaid' && status !== 'paused'
}
