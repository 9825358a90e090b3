// Bearer tokens: RS256, claims as existing clients know them, plus `epoch` (ends with the password) and `family` (ends
// with the browser session) or `login` (ends with its sign-out).
import { type KeyObject, randomUUID } from 'node:crypto'
import { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { LIMITS } from '@bowline/contract/limits'
import { SignJWT, jwtVerify } from 'jose'
import { z } from 'zod'
import type { Clock } from '@bowline/base/clock'

/** Tolerated difference between the clocks of two nodes. */
const LEEWAY_SECONDS = 60

const UserClaims = z.object({
  claims: z.literal('user'),
  id: UserId,
  origin: z.string(),
  tenant: z.union([TenantId, z.literal('')]),
  name: z.string(),
  mfa: z.boolean(),
  epoch: z.number().int(),
  family: z.uuid().optional(),
  /** The sign-in of `POST /api/login`; tokens of earlier versions lack it and are identified by their own id. */
  login: z.uuid().optional(),
  jti: z.uuid(),
  exp: z.number(),
})
export type UserClaims = z.infer<typeof UserClaims>

const DeviceClaims = z.object({
  claims: z.literal('device'),
  uid: DeviceUid,
  tenant: TenantId,
  /** True when the device's key has signed for the token; tokens of earlier versions lack it. */
  proven: z.boolean().default(false),
})
export type DeviceClaims = z.infer<typeof DeviceClaims>

export interface TokenIssuer {
  /**
   * @param claims.family set for browser sessions: the token then lives 10 minutes instead of 72 hours
   * @param endsAt upper limit of the expiry, in Unix seconds
   */
  user(claims: Omit<UserClaims, 'claims' | 'jti' | 'exp'>, endsAt?: number): Promise<string>
  device(claims: Omit<DeviceClaims, 'claims'>): Promise<string>
  /** Claims of a valid token of that kind; undefined for anything else. */
  readUser(token: string): Promise<UserClaims | undefined>
  readDevice(token: string): Promise<DeviceClaims | undefined>
}

/** RSA 2048; signs RS256 tokens. */
export interface TokenKeys {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export function createTokenIssuer(keys: TokenKeys, clock: Clock): TokenIssuer {
  const issue = (claims: Record<string, unknown>) => {
    const now = Math.floor(clock.now() / 1_000)
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setNotBefore(now)
  }
  const read = async <T>(token: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    try {
      const { payload } = await jwtVerify(token, keys.publicKey, {
        algorithms: ['RS256'],
        clockTolerance: LEEWAY_SECONDS,
        currentDate: new Date(clock.now()),
      })
      return schema.safeParse(payload).data
    } catch {
      return undefined
    }
  }
  return {
    user(claims, endsAt = Infinity) {
      const seconds = claims.family ? LIMITS.accessTokenMinutes * 60 : LIMITS.userTokenHours * 3_600
      return issue({ claims: 'user', ...claims })
        .setExpirationTime(Math.min(Math.floor(clock.now() / 1_000) + seconds, endsAt))
        .sign(keys.privateKey)
    },
    device: (claims) => issue({ claims: 'device', ...claims }).sign(keys.privateKey),
    readUser: (token) => read(token, UserClaims),
    readDevice: (token) => read(token, DeviceClaims),
  }
}
