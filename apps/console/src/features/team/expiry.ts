// When API keys end.
import type { ApiKey } from '@bowline/contract/schemas/api-key'

const SOON_MS = 7 * 86_400_000

/** Milliseconds since the epoch; undefined for a key that never ends. */
export function endOf({ expires_in: seconds }: Pick<ApiKey, 'expires_in'>): number | undefined {
  return seconds < 0 ? undefined : seconds * 1000
}

/** Whether a key that still works ends within a week. */
export function expiresSoon(key: Pick<ApiKey, 'expires_in'>, nowMs: number): boolean {
  const endMs = endOf(key)
  return endMs !== undefined && endMs > nowMs && endMs - nowMs < SOON_MS
}
