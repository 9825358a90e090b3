// Expiry of API keys.
import type { ApiKey } from '@bowline/contract/schemas/api-key'

const SOON_MS = 7 * 86_400_000

/** Milliseconds since the epoch; undefined for a key that never expires. */
export function endOf({ expires_in: seconds }: Pick<ApiKey, 'expires_in'>): number | undefined {
  return seconds < 0 ? undefined : seconds * 1000
}

/** True when a valid key expires within a week. */
export function expiresSoon(key: Pick<ApiKey, 'expires_in'>, nowMs: number): boolean {
  const endMs = endOf(key)
  return endMs !== undefined && endMs > nowMs && endMs - nowMs < SOON_MS
}
