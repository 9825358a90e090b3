// Codes that people type: recovery codes, and the two codes that reset the second factor. Their hashes are keyed,
// because the codes are short enough to be searched for in a stolen database.
import { createHmac, randomInt } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'

/** Without characters that look alike: 1 l, 0 o. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const CODE_LENGTH = 10

/** Ten characters with 50 random bits. */
export function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** A set of recovery codes. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>()
  while (codes.size < LIMITS.recoveryCodes) codes.add(newCode())
  return [...codes]
}

/**
 * Hash of a code of one account, in any case and with or without blanks and hyphens.
 * @param key secret of the instance
 */
export function codeHash(key: string, user: UserId | '', code: string): Buffer {
  const plain = code.replaceAll(/[\s-]/g, '').toLowerCase()
  return createHmac('sha256', key).update(`${user}\0${plain}`).digest()
}
