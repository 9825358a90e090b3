// User keys for tests: every accepted type, software FIDO authenticators, and a certificate authority.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { encodePublicKey } from '../../src/keys/key-blob.ts'
import type { Curve, PublicKey } from '../../src/keys/public-key.ts'
import { WireReader } from '../../src/wire/reader.ts'
import { WireWriter } from '../../src/wire/writer.ts'

export interface UserKey {
  readonly publicKey: PublicKey
  readonly blob: Uint8Array
  /** Signature algorithm used when none is named. */
  readonly algorithm: string
  /** @returns the signature blob, algorithm name included */
  readonly sign: (message: Uint8Array, algorithm?: string) => Uint8Array
}

const fromBase64url = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

function signatureBlob(algorithm: string, raw: Uint8Array): Uint8Array {
  return new WireWriter().string(algorithm).string(raw).done()
}

/** Encodes r and s as in ECDSA signatures. */
function ecdsaPair(raw: Buffer): Uint8Array {
  const half = raw.length / 2
  return new WireWriter().mpint(raw.subarray(0, half)).mpint(raw.subarray(half)).done()
}

export function ed25519Key(): UserKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const type = 'ssh-ed25519'
  const key: PublicKey = { kind: 'ed25519', type, key: fromBase64url(publicKey.export({ format: 'jwk' }).x) }
  return {
    publicKey: key,
    blob: encodePublicKey(key),
    algorithm: type,
    sign: (message, algorithm = type) => signatureBlob(algorithm, sign(null, message, privateKey)),
  }
}

const CURVES: Record<Curve, { name: string; hash: string }> = {
  nistp256: { name: 'P-256', hash: 'sha256' },
  nistp384: { name: 'P-384', hash: 'sha384' },
  nistp521: { name: 'P-521', hash: 'sha512' },
}

function pointOf(publicKey: KeyObject): Buffer {
  const { x, y } = publicKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.of(4), fromBase64url(x), fromBase64url(y)])
}

export function ecdsaKey(curve: Curve): UserKey {
  const { name, hash } = CURVES[curve]
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: name })
  const type = `ecdsa-sha2-${curve}`
  const key: PublicKey = { kind: 'ecdsa', type, curve, point: pointOf(publicKey) }
  return {
    publicKey: key,
    blob: encodePublicKey(key),
    algorithm: type,
    sign: (message, algorithm = type) =>
      signatureBlob(algorithm, ecdsaPair(sign(hash, message, { key: privateKey, dsaEncoding: 'ieee-p1363' }))),
  }
}

export function rsaKey(bits = 2_048): UserKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const { n, e } = publicKey.export({ format: 'jwk' })
  const key: PublicKey = { kind: 'rsa', type: 'ssh-rsa', exponent: fromBase64url(e), modulus: fromBase64url(n) }
  const hashes: Record<string, string> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512', 'ssh-rsa': 'sha1' }
  return {
    publicKey: key,
    blob: encodePublicKey(key),
    algorithm: 'rsa-sha2-512',
    sign: (message, algorithm = 'rsa-sha2-512') =>
      signatureBlob(algorithm, sign(hashes[algorithm] ?? 'sha512', message, privateKey)),
  }
}

/** Flags of a FIDO assertion. */
export const TOUCHED = 0x01
export const VERIFIED = 0x04

/** A FIDO key: `flags` is what its authenticator claims about the user. */
export function fidoKey(kind: 'ed25519' | 'ecdsa', flags: number): UserKey {
  const application = 'ssh:'
  const inner = kind === 'ed25519' ? ed25519Key() : ecdsaKey('nistp256')
  const type = kind === 'ed25519' ? 'sk-ssh-ed25519@openssh.com' : 'sk-ecdsa-sha2-nistp256@openssh.com'
  const key: PublicKey = { ...inner.publicKey, type, application }
  return {
    publicKey: key,
    blob: encodePublicKey(key),
    algorithm: type,
    sign(message, algorithm = type) {
      const counter = Buffer.of(0, 0, 0, 7)
      const assertion = Buffer.concat([sha256(application), Buffer.of(flags), counter, sha256(message)])
      const signature = new WireReader(inner.sign(assertion))
      signature.string('algorithm')
      return new WireWriter().string(algorithm).string(signature.string('signature')).byte(flags).bytes(counter).done()
    },
  }
}

export interface CertificateFields {
  readonly key: UserKey
  readonly authority: UserKey
  readonly kind?: number
  readonly principals?: readonly string[]
  /** Seconds since the epoch. */
  readonly validAfter?: bigint
  readonly validBefore?: bigint
  readonly critical?: readonly (readonly [name: string, value: string | undefined])[]
  readonly extensions?: readonly string[]
}

const CERTIFICATE_TYPES: Record<string, string> = {
  'ssh-ed25519': 'ssh-ed25519-cert-v01@openssh.com',
  'ssh-rsa': 'ssh-rsa-cert-v01@openssh.com',
  'ecdsa-sha2-nistp256': 'ecdsa-sha2-nistp256-cert-v01@openssh.com',
  'sk-ssh-ed25519@openssh.com': 'sk-ssh-ed25519-cert-v01@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com': 'sk-ecdsa-sha2-nistp256-cert-v01@openssh.com',
}

/** The certificate algorithm name for a signature algorithm. */
export function certificateAlgorithm(algorithm: string): string {
  return CERTIFICATE_TYPES[algorithm] ?? `${algorithm}-cert-v01@openssh.com`
}

function packOptions(options: readonly (readonly [string, string | undefined])[]): Uint8Array {
  const packed = new WireWriter()
  for (const [name, value] of options) {
    packed.string(name).string(value === undefined ? '' : new WireWriter().string(value).done())
  }
  return packed.done()
}

/** A user certificate's blob, signed by `authority`. */
export function certify(fields: CertificateFields): Uint8Array {
  const { key, authority, kind = 1, principals = ['user'], critical = [], extensions = ['permit-pty'] } = fields
  const plain = new WireReader(key.blob)
  const type = CERTIFICATE_TYPES[plain.text('type')] ?? ''
  const names = new WireWriter()
  for (const principal of principals) names.string(principal)
  const body = new WireWriter(1_024)
    .string(type)
    .string(Buffer.alloc(32, 5))
    .bytes(plain.rest())
    .uint64(42n)
    .uint32(kind)
    .string('key id')
    .string(names.done())
    .uint64(fields.validAfter ?? 0n)
    .uint64(fields.validBefore ?? 2n ** 64n - 1n)
    .string(packOptions(critical))
    .string(packOptions(extensions.map((name) => [name, undefined])))
    .string('')
    .string(authority.blob)
    .done()
  return new WireWriter(2_048).bytes(body).string(authority.sign(body)).done()
}
