// Signs with a user's private key through WebCrypto: in the browser, so that the key never leaves it.
import { WireWriter } from '../wire/writer.ts'
import type { PrivateKey } from './private-key.ts'
import type { Curve, PublicKey } from './public-key.ts'
import { COORDINATE_BYTES } from './public-key.ts'
import { JWK_CURVES } from './jwk.ts'

const ECDSA_HASHES: Readonly<Record<Curve, string>> = { nistp256: 'SHA-256', nistp384: 'SHA-384', nistp521: 'SHA-512' }

/** A key that can sign and can no longer be exported. */
export interface Signer {
  /** The signature algorithm it uses. */
  readonly algorithm: string
  /** @returns an SSH signature blob (RFC 4253 section 6.6), which `verifySignature` of `keys/signature` accepts */
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
}

/** Imports a key into WebCrypto as non-extractable: the page no longer needs its text. */
export async function createSigner({ publicKey, jwk }: PrivateKey): Promise<Signer> {
  return signerOf(publicKey, await crypto.subtle.importKey('jwk', jwk, signingParameters(publicKey), false, ['sign']))
}

/** Signs with a key that WebCrypto holds already. @param key imported with {@link signingParameters} of its public half */
export function signerOf(publicKey: PublicKey, key: CryptoKey): Signer {
  const algorithm = signatureAlgorithm({ publicKey })
  const signing = signingParameters(publicKey)
  return {
    algorithm,
    async sign(message) {
      const raw = new Uint8Array(await crypto.subtle.sign(signing, key, message))
      return new WireWriter(600).string(algorithm).string(wireForm(publicKey, raw)).done()
    },
  }
}

/** WebCrypto's names of the signatures that a key makes in SSH; also the parameters of its import. */
export function signingParameters(publicKey: PublicKey): { name: string; hash?: string; namedCurve?: string } {
  if (publicKey.kind === 'ed25519') return { name: 'Ed25519' }
  if (publicKey.kind === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' }
  return { name: 'ECDSA', namedCurve: JWK_CURVES[publicKey.curve], hash: ECDSA_HASHES[publicKey.curve] }
}

/** Converts WebCrypto's concatenated ECDSA integers (IEEE P1363) to SSH's two mpints (RFC 5656). */
function wireForm(publicKey: PublicKey, raw: Uint8Array): Uint8Array {
  if (publicKey.kind !== 'ecdsa') return raw
  const half = COORDINATE_BYTES[publicKey.curve]
  return new WireWriter().mpint(raw.subarray(0, half)).mpint(raw.subarray(half)).done()
}

/** The signature algorithm {@link signMessage} uses for a key. */
export function signatureAlgorithm({ publicKey }: Pick<PrivateKey, 'publicKey'>): string {
  return publicKey.kind === 'rsa' ? 'rsa-sha2-512' : publicKey.type
}

/** Signs once. @returns an SSH signature blob, see {@link Signer.sign} */
export async function signMessage(key: PrivateKey, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return (await createSigner(key)).sign(message)
}
