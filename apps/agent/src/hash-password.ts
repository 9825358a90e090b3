// `hash-password`: creates the crypt(3) hash for BOWLINE_SINGLE_USER_PASSWORD from the password on standard input.
import { randomBytes } from 'node:crypto'
import { systemCrypt } from './native/crypt.ts'

/**
 * SHA-512 crypt with its default rounds, which every libcrypt supports.
 * @throws {Error} when there is no libcrypt
 */
export async function hashPassword(password: string): Promise<string> {
  const crypt = systemCrypt()
  const salt = randomBytes(12).toString('base64').replaceAll('+', '.')
  const hash = await crypt?.(password, `$6$${salt}$`)
  if (!hash) throw new Error('this system has no libcrypt that knows SHA-512')
  return hash
}
