// Signing with a user's private key by WebCrypto: in the browser, so that the key never leaves it.
import { WireWriter } from '../wire/writer.ts'
import type { PrivateKey } from './private-key.ts'
import type { Curve } from './public-key.ts'
import { COORDINATE_BYTES } from './public-key.ts'
import { JWK_CURVES } from './jwk.ts'

const ECDSA_HASHES: Readonly<Record<Curve, string>> = { nistp256: 'SHA-256', nistp384: 'SHA-384', nistp521: 'SHA-512' }

async function rawSignature({ publicKey, jwk }: PrivateKey, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const sign = async (importWith: { name: string }, signWith: { name: string; hash?: string }) => {
    const key = await crypto.subtle.importKey('jwk', jwk, importWith, false, ['sign'])
    return new Uint8Array(await crypto.subtle.sign(signWith, key, message))
  }
  if (publicKey.kind === 'ed25519') return sign({ name: 'Ed25519' }, { name: 'Ed25519' })
  if (publicKey.kind === 'rsa') {
    const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' }
    return sign(rsa, rsa)
  }
  const ecdsa = { name: 'ECDSA', namedCurve: JWK_CURVES[publicKey.curve], hash: ECDSA_HASHES[publicKey.curve] }
  const raw = await sign(ecdsa, ecdsa)
  const half = COORDINATE_BYTES[publicKey.curve]
  return new WireWriter().mpint(raw.subarray(0, half)).mpint(raw.subarray(half)).done()
}

/** The signature algorithm {@link signMessage} uses for a key. */
export function signatureAlgorithm({ publicKey }: PrivateKey): string {
  return publicKey.kind === 'rsa' ? 'rsa-sha2-512' : publicKey.type
}

/** @returns an SSH signature blob (RFC 4253 section 6.6), which `verifySignature` of `keys/signature` accepts */
export async function signMessage(key: PrivateKey, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new WireWriter(600)
    .string(signatureAlgorithm(key))
    .string(await rawSignature(key, message))
    .done()
}
