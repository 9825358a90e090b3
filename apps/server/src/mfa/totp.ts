// Codes of authenticator apps (RFC 6238): SHA-1, six digits, steps of 30 seconds, one step of tolerance to both sides.
import { Secret, TOTP } from 'otpauth'

const STEP_SECONDS = 30
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: STEP_SECONDS } as const
/** RFC 4226 section 4, R6 recommends 160 bits. */
const SECRET_BYTES = 20
const ISSUER = 'Bowline'

/** A new secret in base32. */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/**
 * Address that authenticator apps read from the QR code.
 * @param label name of the account, as the app shows it
 */
export function otpauthLink(secret: string, label: string): string {
  return new TOTP({ ...PARAMETERS, issuer: ISSUER, label, secret: Secret.fromBase32(secret) }).toString()
}

/**
 * Number of the step that a code belongs to; undefined for a wrong code.
 * @param secret base32
 * @param now milliseconds since the epoch
 */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const delta = TOTP.validate({ ...PARAMETERS, token, secret: Secret.fromBase32(secret), timestamp: now, window: 1 })
  return delta === null ? undefined : Math.floor(now / 1_000 / STEP_SECONDS) + delta
}
