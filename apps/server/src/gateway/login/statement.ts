// The platform's signed statement that it has authorised a login: a compact JWS with EdDSA (RFC 7515, RFC 8037). The device
// verifies it with the statement key from its registration, and accepts it once.
import { type KeyObject, randomBytes, sign } from 'node:crypto'

export interface Statement {
  /** Uid of the session. */
  readonly session: string
  /** Account on the device. */
  readonly user: string
  /** Uid of the device. */
  readonly device: string
}

/** Long enough for a slow link, too short to be stored and reused. */
const LIFETIME_SECONDS = 60

/** @param now milliseconds since the epoch */
export function signStatement(key: KeyObject, statement: Statement, now: number): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  // The device rejects accepted statements it sees again; two of one second must differ.
  const jti = randomBytes(16).toString('base64url')
  const exp = Math.floor(now / 1_000) + LIFETIME_SECONDS
  const signed = `${encode({ alg: 'EdDSA', typ: 'JWT' })}.${encode({ ...statement, exp, jti })}`
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}
