import { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type TicketTarget, createTickets } from './tickets.ts'

const target = {
  tenant: TenantId.parse('00000000-0000-4000-8000-000000000000'),
  device: DeviceUid.parse('0'.repeat(64)),
  username: 'root',
  person: UserId.parse('ada'),
}

const ROOMY = { total: 10, perSource: 10 }

describe('tickets', () => {
  it('redeems a ticket once', () => {
    const tickets = createTickets<TicketTarget>(new ManualClock(0), ROOMY)
    const ticket = tickets.issue(target, 'a')
    expect(tickets.take('another')).toBeUndefined()
    expect(tickets.take(ticket)).toEqual(target)
    expect(tickets.take(ticket)).toBeUndefined()
  })

  it('expires a ticket after 30 seconds', () => {
    const clock = new ManualClock(0)
    const tickets = createTickets<TicketTarget>(clock, ROOMY)
    const [early, late] = [tickets.issue(target, 'a'), tickets.issue(target, 'a')]
    clock.advance(29_999)
    expect(tickets.take(early)).toEqual(target)
    clock.advance(1)
    expect(tickets.take(late)).toBeUndefined()
  })

  it('refuses tickets to a source at its limit of pending ones, and to others only at the total', () => {
    const clock = new ManualClock(0)
    const tickets = createTickets<TicketTarget>(clock, { total: 4, perSource: 2 })
    const first = tickets.issue(target, 'a')
    tickets.issue(target, 'a')
    expect(() => tickets.issue(target, 'a')).toThrow('Too many')
    tickets.issue(target, 'b')
    expect(tickets.take(first)).toEqual(target)
    tickets.issue(target, 'a')
    tickets.issue(target, 'c')
    expect(() => tickets.issue(target, 'd')).toThrow('Too many')
    clock.advance(30_000)
    expect(tickets.take(tickets.issue(target, 'a'))).toEqual(target)
  })
})
