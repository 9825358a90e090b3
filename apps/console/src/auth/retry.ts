// Retry rule for failed reads.
import { ApiError } from '@bowline/contract/client'
import { isTimeout, isUnreachable } from './connectivity.ts'

/**
 * TanStack Query's retry rule: a refusal is final; an unreachable or failing server is tried once more. After a call that got no
 * answer the person decides: they have waited long enough.
 */
export function isRetryable(failureCount: number, error: unknown): boolean {
  if (failureCount >= 1 || isTimeout(error)) return false
  return isUnreachable(error) || (error instanceof ApiError && error.status >= 500)
}

/** Refusals of what was sent. Others, such as a conflict or a limit, end when somebody changes what they are about. */
const FINAL: readonly number[] = [400, 404, 406, 413, 422]

/** True when the same call would be refused again, whatever else changes. */
export function isFinal(error: unknown): boolean {
  return error instanceof ApiError && FINAL.includes(error.status)
}
