// The fingerprint of a device's key, as `ssh-keygen -l` prints it: SHA-256 over the key in SSH wire form.
import { createPublicKey } from 'node:crypto'
import { sha256Fingerprint } from '@bowline/ssh/keys/fingerprint'
import { keyOfJwk } from '@bowline/ssh/keys/jwk'
import { encodePublicKey } from '@bowline/ssh/keys/key-blob'

/**
 * @param pem SPKI or PKCS #1, as the device registered it
 * @returns `SHA256:…`; '' for a key that SSH has no form for
 */
export async function keyFingerprint(pem: string): Promise<string> {
  const key = sshKey(pem)
  return key ? sha256Fingerprint(encodePublicKey(key)) : ''
}

function sshKey(pem: string): ReturnType<typeof keyOfJwk> {
  try {
    return keyOfJwk({ ...(createPublicKey(pem).export({ format: 'jwk' }) as Record<string, string>) })
  } catch {
    return undefined
  }
}
