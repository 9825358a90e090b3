// Hashes of passwords that accounts bring from another server: bcrypt, or SHA-256 without a salt. Each is replaced by one of
// ours when its person signs in.
import { createHash } from 'node:crypto'
import * as z from 'zod'

/** Logarithm of the rounds of bcrypt. A cost of 14 takes one to two seconds of a core. */
const COST = { min: 4, max: 14 }
/** What names that no account has pay at most, so that guesses of strangers cannot ask for seconds of work. */
const MAX_DECOY_COST = 12

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const SHA_256 = /^[0-9a-fA-F]{64}$/
/** Before an argon2id hash of the old one: rows never have a SHA-256 hash itself, which is guessed in no time. */
const WRAPPED = 'sha256:'

/** A hash as the old server has it. Its errors tell the rule and never the hash. */
export const ForeignHash = z.string().refine((hash) => SHA_256.test(hash) || isBcrypt(hash), {
  error: `must be a bcrypt hash ($2a$, $2b$ or $2y$) of cost ${COST.min} to ${COST.max}, or 64 hex digits of SHA-256`,
})
export type ForeignHash = z.infer<typeof ForeignHash>

/** Whether it is a bcrypt hash that is checked here. */
export function isBcrypt(hash: string): boolean {
  const cost = Number(BCRYPT.exec(hash)?.[1])
  return cost >= COST.min && cost <= COST.max
}

/**
 * What an account keeps of a foreign hash.
 * @param hash makes one of ours
 */
export async function storedForm(foreign: ForeignHash, hash: (text: string) => Promise<string>): Promise<string> {
  return isBcrypt(foreign) ? foreign : WRAPPED + (await hash(foreign.toLowerCase()))
}

/**
 * What to check with argon2id for a stored hash that is not bcrypt.
 * @returns the argon2id hash, the text that it was made of, and whether the password has no hash of its own yet
 */
export function argon2Check(stored: string, password: string): { hash: string; text: string; isWrapped: boolean } {
  if (!stored.startsWith(WRAPPED)) return { hash: stored, text: password, isWrapped: false }
  const text = createHash('sha256').update(password).digest('hex')
  return { hash: stored.slice(WRAPPED.length), text, isWrapped: true }
}

/** A bcrypt hash that costs as much as others and is not one of a known password. @param cost of those */
export function decoyOf(cost: number): string {
  const digits = String(Math.max(COST.min, Math.min(cost, MAX_DECOY_COST))).padStart(2, '0')
  return `$2b$${digits}$${'.'.repeat(53)}`
}
