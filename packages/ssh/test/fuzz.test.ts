// Damaged input ends its own connection with an expected cause, whatever the damage. A short form; the long one is
// support/fuzz-long.ts.
import { expect, test } from 'vitest'
import { fuzzBytes, fuzzConnection, fuzzFor, fuzzSignIn } from './support/fuzz.ts'

const EACH_MS = 6_000

test.each([
  ['bytes before keys exist', fuzzBytes, 20_261_120],
  ['messages before sign-in', fuzzSignIn, 4_253],
  ['messages after sign-in', fuzzConnection, 4_254],
] as const)('damaged %s end only their own connection', { timeout: 3 * EACH_MS }, async (_what, fuzz, seed) => {
  const tally = await fuzzFor(EACH_MS, fuzz, seed)
  expect(tally.size).toBeGreaterThan(4)
})
