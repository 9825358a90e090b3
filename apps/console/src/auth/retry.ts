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

/** True when the same call would be refused again: what has to change first is something else. */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code === 'FRESH_PROOF_REQUIRED') return false
  return error.status >= 400 && error.status < 500 && error.status !== 429
}
