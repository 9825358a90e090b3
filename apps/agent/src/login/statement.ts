// Statements: the platform's signed authorization of one login (RFC 7515 compact JWS with EdDSA, RFC 8037). Signed by
// the statement key, which the device has known since its registration, so that a man in the middle of the link can
// neither forge nor replay one.
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
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

/** The login that a statement must match. */
export interface StatedLogin {
  readonly session: string
  readonly user: string
}

/** Tolerated clock difference, seconds. */
const CLOCK_LEEWAY_SECONDS = 120
/** Limit of remembered statements: twenty logins per second over a statement's lifetime. About 1 MB. */
const MAX_REMEMBERED = 4_096

export interface StatementVerifier {
  /**
   * Consumes a statement: it authorizes one login, and is remembered until it expires.
   * @returns why the statement does not authorize this login; undefined when it does
   */
  verify(statement: string, login: StatedLogin): Denial | undefined
}

/**
 * @param device the device's own uid on the platform and the current statement key
 * @param now epoch milliseconds
 * @param maxRemembered limit of remembered statements; at the limit, logins by key are refused
 */
export function statementVerifier(
  device: () => { uid: string; statementKey: Uint8Array | undefined } | undefined,
  now: () => number,
  maxRemembered = MAX_REMEMBERED,
): StatementVerifier {
  /** Consumed statements: hash of the signed part → second of expiry. */
  const used = new Map<string, number>()

  /** @returns false when the limit is reached */
  function remember(id: string, expiry: number, seconds: number): boolean {
    if (used.size >= maxRemembered) {
      for (const [one, until] of used) if (until < seconds) used.delete(one)
    }
    if (used.size >= maxRemembered) return false
    used.set(id, expiry)
    return true
  }

  return {
    verify(statement, login) {
      const { uid, statementKey } = device() ?? {}
      if (!uid || !statementKey) return 'unsupported'
      const claims = verifiedClaims(statement, statementKeyObject(statementKey))
      if (!claims) return 'credential'
      const about = claims.session === login.session && claims.user === login.user && claims.device === uid
      if (!about) return 'credential'
      const seconds = now() / 1000
      const expiry = claims.exp + CLOCK_LEEWAY_SECONDS
      if (expiry < seconds) return 'credential'
      // Hash of the signed part: a signature has several encodings.
      const id = createHash('sha256')
        .update(statement.slice(0, statement.lastIndexOf('.')))
        .digest('base64')
      if (used.has(id)) return 'credential'
      return remember(id, expiry, seconds) ? undefined : 'busy'
    },
  }
}

/**
 * @param raw 32 bytes
 * @throws {Error} when they are not an Ed25519 public key
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
