// Signatures as the key logins of existing consoles make them: bare, without SSH's framing.
import { createPublicKey, verify } from 'node:crypto'
import { publicJwk } from '@bowline/ssh/keys/jwk'
import { parsePublicKey } from '@bowline/ssh/keys/public-key'

/** Existing consoles sign with SHA-1. Nobody can choose both messages of a collision: one side is always ours or a name. */
const RSA_HASHES = ['sha1', 'sha256', 'sha512'] as const

/**
 * Whether a signature was made by a registered key: PKCS #1 v1.5 by RSA, 64 bytes by Ed25519. Other keys, and those of
 * hardware tokens, never sign this way.
 * @param blob the key in SSH wire encoding
 */
export function isSignedBy(blob: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = parsePublicKey(blob)
  if (key.application !== undefined) return false
  const publicKey = createPublicKey({ key: publicJwk(key), format: 'jwk' })
  if (key.kind === 'rsa') return RSA_HASHES.some((hash) => verify(hash, message, publicKey, signature))
  return key.kind === 'ed25519' && verify(null, message, publicKey, signature)
}
