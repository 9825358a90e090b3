// The platform's signed word that it has authorised a login: a compact JWS with EdDSA that the
// device checks with the statement key it has known since its registration.
import { type KeyObject, sign } from 'node:crypto'

export interface Statement {
  /** Uid of the session. */
  readonly session: string
  /** Account on the device. */
  readonly user: string
  /** Uid of the device. */
  readonly device: string
}

/** Long enough for a slow link, too short to be kept. */
const LIFE_SECONDS = 60

/** @param now milliseconds since the epoch */
export function signStatement(key: KeyObject, statement: Statement, now: number): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const exp = Math.floor(now / 1_000) + LIFE_SECONDS
  const signed = `${encode({ alg: 'EdDSA', typ: 'JWT' })}.${encode({ ...statement, exp })}`
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}
