// Which failed reads are worth another try without asking anybody.
import { ApiError } from '@bowline/contract/client'
import { isUnreachable } from './connectivity.ts'

/** Query's retry rule: a refusal stays a refusal; a server that did not answer is asked once more. */
export function isRetryable(failureCount: number, error: unknown): boolean {
  if (failureCount >= 1) return false
  return isUnreachable(error) || (error instanceof ApiError && error.status >= 500)
}
