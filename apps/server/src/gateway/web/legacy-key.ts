// Signatures of key logins by existing consoles: raw, without SSH framing.
import { createPublicKey, verify } from 'node:crypto'
import { publicJwk } from '@bowline/ssh/keys/jwk'
import { parsePublicKey } from '@bowline/ssh/keys/public-key'

/** Existing consoles sign with SHA-1. A collision needs two chosen messages, but each message is ours or a user name. */
const RSA_HASHES = ['sha1', 'sha256', 'sha512'] as const

/**
 * Checks a signature by a registered key: PKCS #1 v1.5 for RSA, 64 bytes for Ed25519. Other keys, and those of hardware
 * tokens, never sign this way.
 * @param blob the key in SSH wire encoding
 */
export function isSignedBy(blob: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = parsePublicKey(blob)
  if (key.application !== undefined) return false
  const publicKey = createPublicKey({ key: publicJwk(key), format: 'jwk' })
  if (key.kind === 'rsa') return RSA_HASHES.some((hash) => verify(hash, message, publicKey, signature))
  return key.kind === 'ed25519' && verify(null, message, publicKey, signature)
}
