// Statements: the platform's signed word that it has authorised one login (RFC 7515 compact JWS with EdDSA, RFC 8037).
// Signed by the statement key, which the device has known since its registration, so that whoever merely carries the
// link's bytes cannot make one.
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import * as z from 'zod'
import type { Denial } from './verdict.ts'

const Header = z.object({ alg: z.literal('EdDSA'), crit: z.never().optional() })
const Claims = z.object({
  /** Uid of the platform's session. */
  session: z.string(),
  /** Name of the user on the device. */
  user: z.string(),
  /** Uid of the device. */
  device: z.string(),
  /** Seconds since 1970. */
  exp: z.number().int(),
})

/** What a statement has to be about. */
export interface StatedLogin {
  readonly session: string
  readonly user: string
}

/** How much this machine's clock may be behind or ahead, seconds. */
const CLOCK_LEEWAY_SECONDS = 120

export interface StatementVerifier {
  /** @returns why the statement does not authorise this login; undefined when it does */
  verify(statement: string, login: StatedLogin): Denial | undefined
}

/**
 * @param device what this device knows of the platform: its own uid there and the statement key, as of now
 * @param now epoch milliseconds
 */
export function statementVerifier(
  device: () => { uid: string; statementKey: Uint8Array | undefined } | undefined,
  now: () => number,
): StatementVerifier {
  return {
    verify(statement, login) {
      const { uid, statementKey } = device() ?? {}
      if (!uid || !statementKey) return 'unsupported'
      const claims = verifiedClaims(statement, statementKeyObject(statementKey))
      if (!claims) return 'credential'
      const about = claims.session === login.session && claims.user === login.user && claims.device === uid
      if (!about) return 'credential'
      return claims.exp + CLOCK_LEEWAY_SECONDS < now() / 1000 ? 'credential' : undefined
    },
  }
}

/**
 * @param raw 32 bytes
 * @throws {Error} when they are no Ed25519 public key
 */
export function statementKeyObject(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

function verifiedClaims(statement: string, key: KeyObject): z.infer<typeof Claims> | undefined {
  const [header = '', payload = '', signature = '', ...rest] = statement.split('.')
  if (rest.length > 0 || !Header.safeParse(jsonOf(header)).success) return undefined
  const signed = Buffer.from(`${header}.${payload}`)
  if (!verify(null, signed, key, Buffer.from(signature, 'base64url'))) return undefined
  const claims = Claims.safeParse(jsonOf(payload))
  return claims.success ? claims.data : undefined
}

function jsonOf(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
