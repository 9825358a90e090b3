// Expiry of tunnels.

/** Latest time that JavaScript and the API can express; longer TTLs are capped. */
const LATEST = Date.UTC(9999, 11, 31)

/** Expiry of a tunnel created, renewed or used at `now`, Unix milliseconds; null: never. */
export function expiryAt(now: number, ttlSeconds: number): Date | null {
  return ttlSeconds < 0 ? null : new Date(Math.min(now + ttlSeconds * 1_000, LATEST))
}
