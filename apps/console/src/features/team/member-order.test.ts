import { NEVER, UserId } from '@bowline/contract/schemas/common'
import type { Member } from '@bowline/contract/schemas/namespace'
import { expect, it } from 'vitest'
import { shownMembers } from './member-order.ts'

const member = (email: string, role: Member['role'], day: number): Member => ({
  id: UserId.parse(String(day).padStart(24, '0')),
  added_at: `2026-01-0${day}T00:00:00Z`,
  expires_at: NEVER,
  email,
  role,
  status: 'accepted',
  provisioned: false,
})
const MEMBERS = [
  member('ada@example.com', 'owner', 1),
  member('sensor-10@example.com', 'observer', 4),
  member('sensor-2@example.com', 'observer', 3),
  member('Grace@example.org', 'administrator', 2),
]
const shown = (search: Partial<Parameters<typeof shownMembers>[1]>) =>
  shownMembers(MEMBERS, { words: '', sort: 'email', order: 'asc', ...search }).map(({ email }) => email.split('@')[0])

it('finds members by all words of the search, in the address or the role, whatever their case', () => {
  expect(shown({ words: 'grace' })).toEqual(['Grace'])
  expect(shown({ words: 'OBSERVER 10' })).toEqual(['sensor-10'])
  expect(shown({ words: 'owner grace' })).toEqual([])
})

it('orders members by address as people count', () => {
  expect(shown({})).toEqual(['ada', 'Grace', 'sensor-2', 'sensor-10'])
  expect(shown({ order: 'desc' })).toEqual(['sensor-10', 'sensor-2', 'Grace', 'ada'])
})

it('orders members by the rank of their role, and by the time they were added', () => {
  expect(shown({ sort: 'role', order: 'desc' })).toEqual(['ada', 'Grace', 'sensor-10', 'sensor-2'])
  expect(shown({ sort: 'added_at' })).toEqual(['ada', 'Grace', 'sensor-2', 'sensor-10'])
})
