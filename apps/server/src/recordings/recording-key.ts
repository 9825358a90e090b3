// The key that signs recordings and their ledger, and the forms in which its public half is published.
import { type KeyObject, createHash, sign, verify } from 'node:crypto'
import type { Sign } from '@bowline/asciicast/chain'
import type { RecordingKey as PublishedKey } from '@bowline/contract/schemas/recording'
import { WireWriter } from '@bowline/ssh/wire/writer'

export interface RecordingKey {
  readonly published: PublishedKey
  readonly sign: Sign
  /** @param signature base64url */
  readonly isSigned: (text: string, signature: string) => boolean
}

/** @param key Ed25519 */
export function createRecordingKey(key: {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}): RecordingKey {
  return {
    published: publish(key.publicKey),
    sign: (text) => sign(null, Buffer.from(text), key.privateKey).toString('base64url'),
    isSigned: (text, signature) => isSignedBy(key.publicKey, text, signature),
  }
}

export function isSignedBy(key: KeyObject, text: string, signature: string): boolean {
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
}

/** @param key Ed25519 */
function publish(key: KeyObject): PublishedKey {
  const x = String(key.export({ format: 'jwk' }).x)
  // RFC 7638: the required members in the order of their names, without spaces.
  const id = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
  const blob = new WireWriter().string('ssh-ed25519').string(Buffer.from(x, 'base64url')).done()
  return {
    id,
    pem: key.export({ type: 'spki', format: 'pem' }),
    ssh: `ssh-ed25519 ${Buffer.from(blob).toString('base64')} bowline-recordings`,
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid: id },
  }
}
