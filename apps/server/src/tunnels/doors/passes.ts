// Passes: signed cookies of visitors whom a door has admitted. A pass names one tunnel and is judged at every request.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import { UserId } from '@bowline/contract/schemas/common'
import * as z from 'zod'

const Pass = z.discriminatedUnion('door', [
  z.object({
    door: z.literal('namespace'),
    address: z.string(),
    until: z.number(),
    user: UserId,
    /** Token epoch of the account: a new password ends its visits. */
    epoch: z.number(),
    /** Sign-in at the console that the visit came from, and ends with. */
    signIn: z.string(),
  }),
  z.object({
    door: z.literal('password'),
    address: z.string(),
    until: z.number(),
    /** Digest of the stored hash: a new password ends the visits by the former one. */
    mark: z.string(),
  }),
])
export type Pass = z.infer<typeof Pass>

const MAX_LENGTH = 1_024

/** Unix milliseconds until which a pass issued at `now` is valid. */
export function passEnd(now: number): number {
  return now + LIMITS.tunnels.visitHours * 3_600_000
}

/** Browsers require Secure for the `__Host-` prefix, which keeps other tunnels from setting the cookie. */
export function passCookieName(secure: boolean): string {
  return secure ? '__Host-bowline-tunnel' : 'bowline-tunnel'
}

/** A Set-Cookie header. */
export function passCookie(pass: Pass, secret: string, secure: boolean): string {
  const body = Buffer.from(JSON.stringify(pass)).toString('base64url')
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${LIMITS.tunnels.visitHours * 3_600}`
  return `${passCookieName(secure)}=${body}.${signatureOf(body, secret)}; ${attributes}${secure ? '; Secure' : ''}`
}

/** Reads a pass; undefined if it is forged, expired or of another tunnel. */
export function readPass(value: string | undefined, secret: string, address: string, now: number): Pass | undefined {
  if (value === undefined || value.length > MAX_LENGTH) return undefined
  const [body = '', signature = ''] = value.split('.')
  const expected = Buffer.from(signatureOf(body, secret))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const parsed = Pass.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  if (!parsed.success || parsed.data.address !== address || parsed.data.until <= now) return undefined
  return parsed.data
}

/** Mark of a password hash, which reveals nothing about it. */
export function markOf(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64url').slice(0, 22)
}

function signatureOf(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('base64url')
}
