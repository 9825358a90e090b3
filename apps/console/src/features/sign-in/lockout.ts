// Reads the remaining lockout of an account from response headers.
import { ApiError } from '@bowline/contract/client'

/**
 * Remaining lockout in milliseconds.
 * @param headers of the sign-in response: `X-Account-Lockout` is a Unix time, compared with the server's own `Date`
 * @param nowMs used when the server sent no date
 */
export function lockoutMs(headers: Headers, nowMs: number): number {
  const untilSeconds = Number(headers.get('x-account-lockout') ?? 0)
  if (!Number.isFinite(untilSeconds) || untilSeconds <= 0) return 0
  const serverMs = Date.parse(headers.get('date') ?? '')
  return Math.max(0, untilSeconds * 1000 - (Number.isNaN(serverMs) ? nowMs : serverMs))
}

/** When sign-in may be retried, in milliseconds of `Date.now()`; 0 when there is no lockout. */
export function lockoutEnd(error: unknown): number {
  const nowMs = Date.now()
  const leftMs = error instanceof ApiError ? lockoutMs(error.headers, nowMs) : 0
  return leftMs > 0 ? nowMs + leftMs : 0
}

/** `m:ss`, rounded up so that it never promises too early. */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
