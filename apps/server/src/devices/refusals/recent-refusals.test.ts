import { ManualClock } from '@bowline/base/testing/manual-clock'
import { BowlineError } from '@bowline/contract/errors'
import { expect, it } from 'vitest'
import { RecentRefusals } from './recent-refusals.ts'

it('repeats a refusal for ten seconds, and not for others', () => {
  const clock = new ManualClock()
  const refusals = new RecentRefusals(clock)
  const error = new BowlineError('NOT_FOUND', { what: 'The namespace' })
  refusals.remember('one', error)
  clock.advance(9_999)
  expect([refusals.recall('one'), refusals.recall('two')]).toEqual([error, undefined])
  clock.advance(1)
  expect(refusals.recall('one')).toBeUndefined()
})

it('remembers ten thousand, and forgets the oldest', () => {
  const refusals = new RecentRefusals(new ManualClock())
  const error = new BowlineError('NOT_FOUND', { what: 'The namespace' })
  for (let index = 0; index <= 10_000; index += 1) refusals.remember(String(index), error)
  expect([refusals.recall('0'), refusals.recall('1'), refusals.recall('10000')]).toEqual([undefined, error, error])
})
