// Reads a user's private key, in the browser or in Node: OpenSSH's own format (also encrypted), PKCS#8, and the older
// RSA and EC PEM formats. Only WebCrypto is used. Error texts never hold key material.
import { readOpensshPrivateKey } from './openssh-private-key.ts'
import { readPkcs8 } from './pkcs8.ts'
import { PrivateKeyError } from './private-key.ts'
import type { PrivateKey } from './private-key.ts'

/** The bytes between a PEM's BEGIN and END lines, and its label. */
function readPem(text: string): { label: string; bytes: Uint8Array<ArrayBuffer>; encrypted: boolean } {
  const match = /-----BEGIN ([A-Z ]+)-----([\s\S]*?)-----END \1-----/.exec(text)
  const [, label = '', body = ''] = match ?? []
  if (!label.endsWith('PRIVATE KEY')) {
    throw new PrivateKeyError('not-a-key', 'private key: must be a PEM file with a PRIVATE KEY block')
  }
  const base64 = body.replaceAll(/^[\w-]+:.*$/gm, '').replaceAll(/\s+/g, '')
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0)
    return { label, bytes, encrypted: label.startsWith('ENCRYPTED') || body.includes('ENCRYPTED') }
  } catch {
    throw new PrivateKeyError('not-a-key', 'private key: the PEM block is not base64')
  }
}

/**
 * @param passphrase needed for encrypted OpenSSH keys
 * @throws {PrivateKeyError} with its reason
 */
export async function readPrivateKey(text: string, passphrase = ''): Promise<PrivateKey> {
  const { label, bytes, encrypted } = readPem(text)
  if (label === 'OPENSSH PRIVATE KEY') return readOpensshPrivateKey(bytes, passphrase)
  if (encrypted) {
    const hint = 'convert it with: ssh-keygen -p -f FILE'
    throw new PrivateKeyError('not-supported', `private key: this encrypted format is not supported; ${hint}`)
  }
  return readPkcs8(label, bytes)
}
