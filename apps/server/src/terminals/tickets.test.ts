import { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { fakeClock } from '../platform/testing.ts'
import { createTickets } from './tickets.ts'

const target = {
  tenant: TenantId.parse('00000000-0000-4000-8000-000000000000'),
  device: DeviceUid.parse('0'.repeat(64)),
  username: 'root',
  person: UserId.parse('ada'),
}

describe('a ticket', () => {
  it('is taken once', () => {
    const tickets = createTickets(fakeClock(0))
    const ticket = tickets.issue(target)
    expect(tickets.take('another')).toBeUndefined()
    expect(tickets.take(ticket)).toEqual(target)
    expect(tickets.take(ticket)).toBeUndefined()
  })

  it('is good for half a minute', () => {
    const clock = fakeClock(0)
    const tickets = createTickets(clock)
    const [early, late] = [tickets.issue(target), tickets.issue(target)]
    clock.advance(29_999)
    expect(tickets.take(early)).toEqual(target)
    clock.advance(1)
    expect(tickets.take(late)).toBeUndefined()
  })
})
