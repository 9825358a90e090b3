import { ApiError } from '@bowline/contract/client'
import { expect, it } from 'vitest'
import { isFinal, isRetryable } from './retry.ts'

it.each([
  [0, new TypeError('fetch failed'), true],
  [1, new TypeError('fetch failed'), false],
  [0, new ApiError(503, {}, new Headers()), true],
  [0, new ApiError(404, {}, new Headers()), false],
  [0, new DOMException('timed out', 'TimeoutError'), false],
])('after %i failures, %s: %s', (count, error, isTried) => {
  expect(isRetryable(count, error)).toBe(isTried)
})

it.each([
  [406, 'TAG_LIMIT', true],
  [404, 'NOT_FOUND', true],
  [403, 'FRESH_PROOF_REQUIRED', false],
  [409, 'CONFLICT', false],
  [429, 'TOO_MANY_REQUESTS', false],
  [500, 'INTERNAL', false],
])('a refusal with %i %s is final: %s', (status, code, isIt) => {
  expect(isFinal(new ApiError(status, { code, message: '' }, new Headers()))).toBe(isIt)
})

it('takes no missing answer for final', () => {
  expect(isFinal(new TypeError('fetch failed'))).toBe(false)
})
