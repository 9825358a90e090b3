import { expect, it } from 'vitest'
import { endedBecause, endedBy } from './ended-because.ts'

const at = '2026-11-20T12:00:00Z'

it.each([
  [{ at, by: 'gateway', reason: 'idle', message: 'Closed after 30 minutes.' }, 'Closed after 30 minutes.'],
  [{ at, by: 'user', reason: 'exit', message: '' }, 'exit (by the user)'],
  [{ at, by: 'policy', reason: 'too-many_sessions', message: '' }, 'too many sessions (by a rule)'],
  [{ at, by: 'moon', reason: 'eclipse', message: '' }, 'eclipse (by moon)'],
  [
    { at, by: 'network', reason: 'connection-lost', message: 'ECONNRESET' },
    'The device lost its connection to the server (connection reset).',
  ],
  [null, ''],
])('describes the cause %j as: %s', (closed, text) => {
  expect(endedBecause(closed)).toBe(text)
})

it('names the network where a user’s connection was lost', () => {
  expect(endedBy({ at, by: 'user', reason: 'connection-lost', message: '' })).toBe('the network')
  expect(endedBy({ at, by: 'user', reason: 'exit', message: '' })).toBe('the user')
})
