// Hash of secrets that are stored only to be compared: random values of at least 122 bits, which need no slow hash.
import { createHash } from 'node:crypto'

/** SHA-256, 32 bytes. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
