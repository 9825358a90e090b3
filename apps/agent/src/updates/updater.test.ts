import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, test } from 'vitest'
import { TRIAL_MS, watchTrial } from './updater.ts'

test('gives a version three minutes, and no more', () => {
  const clock = new ManualClock()
  const decisions: boolean[] = []
  watchTrial(
    clock,
    () => true,
    (isOver) => decisions.push(isOver),
  )
  clock.advance(TRIAL_MS - 1)
  expect(decisions).toEqual([])
  clock.advance(1)
  expect(decisions).toEqual([false])
  clock.advance(TRIAL_MS)
  expect([decisions, clock.pending]).toEqual([[false], 0])
})

test('learns that a version has been confirmed, or has ended', () => {
  const clock = new ManualClock()
  const decisions: boolean[] = []
  let isOnTrial = true
  watchTrial(
    clock,
    () => isOnTrial,
    (isOver) => decisions.push(isOver),
  )
  clock.advance(10_000)
  isOnTrial = false
  clock.advance(1_000)
  expect([decisions, clock.pending]).toEqual([[true], 0])
})
