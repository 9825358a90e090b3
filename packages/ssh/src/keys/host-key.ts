// Host keys: loads PKCS#8 PEM and signs exchange hashes. Node only; never imported by the browser's parts.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { WireWriter } from '../wire/writer.ts'

/** One private host key. */
export interface HostKey {
  /** SSH wire encoding of the public key. */
  readonly blob: Uint8Array
  /** Signature algorithms it serves, preferred first. */
  readonly algorithms: readonly string[]
  /** @returns the signature blob of RFC 4253 section 6.6, algorithm name included */
  sign(algorithm: string, message: Uint8Array): Uint8Array
}

const bytesOf = (base64url: string | undefined) => Buffer.from(base64url ?? '', 'base64url')

function ed25519(key: KeyObject, publicKey: KeyObject): HostKey {
  const blob = new WireWriter()
    .string('ssh-ed25519')
    .string(bytesOf(publicKey.export({ format: 'jwk' }).x))
    .done()
  return {
    blob,
    algorithms: ['ssh-ed25519'],
    sign: (algorithm, message) =>
      new WireWriter()
        .string(algorithm)
        .string(sign(null, message, key))
        .done(),
  }
}

function ecdsaP256(key: KeyObject, publicKey: KeyObject): HostKey {
  const { x, y } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), bytesOf(x), bytesOf(y)])
  const type = 'ecdsa-sha2-nistp256'
  return {
    blob: new WireWriter().string(type).string('nistp256').string(point).done(),
    algorithms: [type],
    sign(algorithm, message) {
      const raw = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' })
      const both = new WireWriter().mpint(raw.subarray(0, 32)).mpint(raw.subarray(32)).done()
      return new WireWriter().string(algorithm).string(both).done()
    },
  }
}

function rsa(key: KeyObject, publicKey: KeyObject): HostKey {
  const { n, e } = publicKey.export({ format: 'jwk' })
  return {
    blob: new WireWriter(600).string('ssh-rsa').mpint(bytesOf(e)).mpint(bytesOf(n)).done(),
    algorithms: ['rsa-sha2-512', 'rsa-sha2-256'],
    sign: (algorithm, message) =>
      new WireWriter(600)
        .string(algorithm)
        .string(sign(algorithm === 'rsa-sha2-512' ? 'sha512' : 'sha256', message, key))
        .done(),
  }
}

/**
 * Reads one PKCS#8 PEM private key: Ed25519, ECDSA P-256 or RSA of at least 2048 bits.
 * @throws {Error} for anything else; the message never quotes the key
 */
export function loadHostKey(pem: string): HostKey {
  const key = createPrivateKey({ key: pem, format: 'pem' })
  const publicKey = createPublicKey(key)
  const details = key.asymmetricKeyDetails
  if (key.asymmetricKeyType === 'ed25519') return ed25519(key, publicKey)
  if (key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1') return ecdsaP256(key, publicKey)
  if (key.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= 2_048) return rsa(key, publicKey)
  throw new TypeError('host key: must be Ed25519, ECDSA P-256 or RSA of at least 2048 bits')
}

/**
 * All host keys of a server, in order of preference.
 * @throws {Error} when no Ed25519 key is among them
 */
export function loadHostKeys(pems: readonly string[]): readonly HostKey[] {
  const keys = pems.map(loadHostKey)
  if (!keys.some((key) => key.algorithms.includes('ssh-ed25519'))) {
    throw new TypeError('host keys: an Ed25519 key is required')
  }
  return keys
}
