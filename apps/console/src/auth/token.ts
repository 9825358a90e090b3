// Reads the access token's times. The console never verifies a token (the server does), it only schedules the refresh.
import { LIMITS } from '@bowline/contract/limits'
import { z } from 'zod'

const Times = z.object({ iat: z.number(), exp: z.number() })

/**
 * Lifetime of a JWT in milliseconds, from its own `iat` and `exp` (RFC 7519 section 4.1), so that a wrong local
 * clock does not matter. An unreadable token is assumed to live as long as the contract says.
 */
export function tokenLifetimeMs(token: string): number {
  const contractMs = LIMITS.accessTokenMinutes * 60_000
  try {
    const payload = token.split('.')[1] ?? ''
    const parsed = Times.safeParse(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))))
    const lifetimeMs = parsed.success ? (parsed.data.exp - parsed.data.iat) * 1000 : 0
    return lifetimeMs > 0 ? lifetimeMs : contractMs
  } catch {
    return contractMs
  }
}
