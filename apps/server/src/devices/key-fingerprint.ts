// Fingerprint of a device's key as printed by `ssh-keygen -l`: SHA-256 of the SSH wire encoding.
import { createPublicKey } from 'node:crypto'
import { sha256Fingerprint } from '@bowline/ssh/keys/fingerprint'
import { keyOfJwk } from '@bowline/ssh/keys/jwk'
import { encodePublicKey } from '@bowline/ssh/keys/key-blob'

/**
 * @param pem SPKI or PKCS #1, as registered by the device
 * @returns `SHA256:…`; '' for a key without an SSH encoding
 */
export async function keyFingerprint(pem: string): Promise<string> {
  const key = sshKey(pem)
  return key ? sha256Fingerprint(encodePublicKey(key)) : ''
}

/** @returns type and wire encoding (RFC 4253 section 6.6) of a key that SSH has */
export function sshKeyOf(pem: string): { readonly type: string; readonly blob: Uint8Array } | undefined {
  const key = sshKey(pem)
  return key && { type: key.type, blob: encodePublicKey(key) }
}

function sshKey(pem: string): ReturnType<typeof keyOfJwk> {
  try {
    return keyOfJwk({ ...(createPublicKey(pem).export({ format: 'jwk' }) as Record<string, string>) })
  } catch {
    return undefined
  }
}
