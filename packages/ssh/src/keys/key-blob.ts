// Encodes a parsed public key back to its SSH wire form (RFC 4253 section 6.6). Pure.
import { WireWriter } from '../wire/writer.ts'
import type { PublicKey } from './public-key.ts'

/** The blob of the plain key; for a certificate's key this is the key without the certificate. */
export function encodePublicKey(key: PublicKey): Uint8Array {
  const writer = new WireWriter(600).string(key.type)
  if (key.kind === 'ed25519') writer.string(key.key)
  else if (key.kind === 'ecdsa') writer.string(key.curve).string(key.point)
  else writer.mpint(key.exponent).mpint(key.modulus)
  return key.application === undefined ? writer.done() : writer.string(key.application).done()
}
