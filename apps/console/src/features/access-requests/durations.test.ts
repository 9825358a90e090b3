import { expect, test } from 'vitest'
import { durationChoices } from './durations.ts'

test.each([
  [15, ['15']],
  [60, ['15', '30', '60']],
  [100, ['15', '30', '60', '100']],
  [480, ['15', '30', '60', '120', '240', '480']],
])('choices of up to %i minutes', (most, expected) => {
  expect(durationChoices(most).map(({ value }) => value)).toEqual(expected)
})
