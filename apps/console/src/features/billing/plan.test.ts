// States of a plan in words.
import { type BillingStanding, SUBSCRIPTION_STATUSES } from '@bowline/contract/schemas/billing'
import { describe, expect, it } from 'vitest'
import { formatMoney, formatPrice } from './money.ts'
import { billingMessages as texts } from './messages.ts'
import { describePlan, graceDays, maySubscribe } from './plan.ts'

const NOW = Date.parse('2026-11-23T12:00:00.000Z')
const FREE: BillingStanding = {
  status: 'inactive',
  active: false,
  devices: 2,
  limit: 3,
  billed_devices: null,
  can_accept: true,
  can_connect: true,
  end_at: null,
  grace_until: null,
}
const plan = (change: Partial<BillingStanding>) => describePlan({ ...FREE, ...change }, NOW)

describe('a plan', () => {
  it('is free before a subscription, and granted where the operator set no limit', () => {
    expect(plan({})).toEqual({ state: 'Free', next: texts.nexts.free('3'), isUrgent: false })
    expect(plan({ limit: -1 }).state).toBe(texts.states.granted)
  })

  it('counts the days of grace that are left, and says when there are none', () => {
    const over = { status: 'canceled', devices: 5, grace_until: '2026-11-26T11:00:00.000Z' } as const
    expect(plan(over).next).toContain('3 days left')
    expect(plan({ ...over, grace_until: '2026-11-24T11:00:00.000Z' }).next).toContain('1 day left')
    const refused = { ...over, grace_until: '2026-11-23T12:00:00.000Z', can_connect: false }
    expect(plan(refused)).toEqual({ state: texts.states.canceled, next: texts.nexts.refused, isUrgent: true })
    expect(graceDays({ grace_until: '2026-11-01T00:00:00.000Z' }, NOW)).toBe(0)
  })

  it('keeps working without a subscription when it has no more devices than are free', () => {
    expect(plan({ status: 'canceled', grace_until: '2026-11-26T11:00:00.000Z' })).toEqual({
      state: texts.states.canceled,
      next: texts.nexts.within('3'),
      isUrgent: false,
    })
  })

  it('says what happens next in each status', () => {
    const end_at = '2026-12-24T12:00:00.000Z'
    const words = SUBSCRIPTION_STATUSES.map((status) => plan({ status, end_at }))
    expect(words.filter(({ state, next }) => state === '' || next === '')).toEqual([])
    expect(plan({ status: 'to_cancel_at_end_of_period', end_at, limit: -1, active: true }).next).toContain('2026')
    expect(plan({ status: 'past_due', limit: -1, active: true }).isUrgent).toBe(true)
  })

  it('offers a subscription unless there is one, or one that waits for its payment', () => {
    const ended = ['inactive', 'incomplete', 'incomplete_expired', 'canceled', 'unpaid', 'paused'] as const
    const refused = ended.filter((status) => !maySubscribe({ active: false, status }))
    expect(refused).toEqual(['unpaid', 'paused'])
    expect(maySubscribe({ active: true, status: 'active' })).toBe(false)
  })
})

it('writes amounts in their currency and the language of the reader', () => {
  expect(formatMoney(123_456, 'usd', 'en-US')).toBe('$1,234.56')
  expect(formatMoney(123_456, 'brl', 'pt-BR')).toBe('R$\u00a01.234,56')
  expect(formatPrice({ amount: null, currency: 'usd', interval: 'month' })).toContain('depends on')
})
