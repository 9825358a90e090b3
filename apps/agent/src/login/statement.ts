// Statements: the platform's signed word that it has authorised one login (RFC 7515 compact JWS with EdDSA, RFC 8037).
// Signed by the statement key, which the device has known since its registration, so that whoever merely carries the
// link's bytes cannot make one, nor use one a second time.
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

/** What a statement has to be about. */
export interface StatedLogin {
  readonly session: string
  readonly user: string
}

/** How much this machine's clock may be behind or ahead, seconds. */
const CLOCK_LEEWAY_SECONDS = 120
/** Statements that are remembered at once: twenty logins a second, for as long as one is valid. About 1 MB. */
const MAX_REMEMBERED = 4_096

export interface StatementVerifier {
  /**
   * Uses a statement up: it authorises one login, and is remembered until it has expired.
   * @returns why the statement does not authorise this login; undefined when it does
   */
  verify(statement: string, login: StatedLogin): Denial | undefined
}

/**
 * @param device what this device knows of the platform: its own uid there and the statement key, as of now
 * @param now epoch milliseconds
 * @param maxRemembered statements that are remembered at once; while there are as many, logins by key are refused
 */
export function statementVerifier(
  device: () => { uid: string; statementKey: Uint8Array | undefined } | undefined,
  now: () => number,
  maxRemembered = MAX_REMEMBERED,
): StatementVerifier {
  /** Those that were used, by the hash of what was signed, with the second of their expiry. */
  const used = new Map<string, number>()

  /** @returns false when there is no room for it */
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
      // Of what was signed: a signature can be written in several ways.
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
