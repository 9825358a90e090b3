// Challenges that passkeys sign. One that is out is stored nowhere: it carries its end and a code over its purpose and
// its subject, so that strangers make the server keep nothing and the challenges of one person never wait for each
// other. Only one that was signed is stored, as a hash, so that it works once.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import type { Clock } from '@bowline/base/clock'

/** Ceremony that a challenge is for, and for whom: no other accepts it. */
export type Purpose =
  | { readonly kind: 'sign-in' }
  /** `pending`: token of the sign-in that waits for its second factor. */
  | { readonly kind: 'second-step'; readonly pending: string }
  /** `signIn`: the sign-in that asks. `proof`: what it has shown, since that may change meanwhile. */
  | { readonly kind: 'register'; readonly user: string; readonly signIn: string; readonly proof: 'password' | 'factor' }
  | { readonly kind: 'prove'; readonly user: string; readonly signIn: string }

export interface Challenges {
  /** A new challenge, base64url. */
  issue(purpose: Purpose): string
  /** End of a challenge of that purpose, in milliseconds since the epoch; undefined for any other or expired one. */
  endOf(challenge: string, purpose: Purpose): number | undefined
}

/** Distinct for distinct purposes: none of the parts contains a line break. */
function nameOf(purpose: Purpose): string {
  switch (purpose.kind) {
    case 'sign-in':
      return purpose.kind
    case 'second-step':
      return [purpose.kind, purpose.pending].join('\n')
    case 'register':
      return [purpose.kind, purpose.user, purpose.signIn, purpose.proof].join('\n')
    case 'prove':
      return [purpose.kind, purpose.user, purpose.signIn].join('\n')
  }
}

const RANDOM_BYTES = 16
const END_BYTES = 6
const CODE_BYTES = 32

/** @param secret hex; the same on every node */
export function createChallenges(secret: string, clock: Clock): Challenges {
  const codeOf = (head: Buffer, purpose: Purpose): Buffer =>
    createHmac('sha256', secret).update(head).update(nameOf(purpose)).digest()
  return {
    issue(purpose) {
      const end = Buffer.alloc(END_BYTES)
      end.writeUIntBE(clock.now() + LIMITS.passkeyChallengeMinutes * 60_000, 0, END_BYTES)
      const head = Buffer.concat([randomBytes(RANDOM_BYTES), end])
      return Buffer.concat([head, codeOf(head, purpose)]).toString('base64url')
    },
    endOf(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url')
      // Another spelling of the same bytes would have another hash, and work a second time.
      if (bytes.length !== RANDOM_BYTES + END_BYTES + CODE_BYTES) return undefined
      if (bytes.toString('base64url') !== challenge) return undefined
      const head = bytes.subarray(0, RANDOM_BYTES + END_BYTES)
      if (!timingSafeEqual(bytes.subarray(head.length), codeOf(head, purpose))) return undefined
      const end = head.readUIntBE(RANDOM_BYTES, END_BYTES)
      return end > clock.now() ? end : undefined
    },
  }
}
