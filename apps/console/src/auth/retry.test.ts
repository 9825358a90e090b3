import { ApiError } from '@bowline/contract/client'
import { expect, it } from 'vitest'
import { isRetryable } from './retry.ts'

it.each([
  [0, new TypeError('fetch failed'), true],
  [1, new TypeError('fetch failed'), false],
  [0, new ApiError(503, {}, new Headers()), true],
  [0, new ApiError(404, {}, new Headers()), false],
  [0, new DOMException('timed out', 'TimeoutError'), false],
])('after %i failures, %s: %s', (count, error, isTried) => {
  expect(isRetryable(count, error)).toBe(isTried)
})
