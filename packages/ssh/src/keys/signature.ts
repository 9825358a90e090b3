// Verification of signatures by user keys (RFC 4253 section 6.6, RFC 5656, RFC 8332, RFC 8709, OpenSSH's PROTOCOL.u2f).
// Node only. SHA-1 (`ssh-rsa` as a signature algorithm) is not supported.
import { createHash, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { WireError, WireReader } from '../wire/reader.ts'
import { publicJwk } from './jwk.ts'
import { COORDINATE_BYTES } from './public-key.ts'
import type { Curve, PublicKey } from './public-key.ts'

/** User-presence and user-verification bits of a FIDO assertion. */
const FLAG_USER_PRESENT = 0x01
const FLAG_USER_VERIFIED = 0x04

/** Signature algorithm → key type of the blob, in the order `server-sig-algs` announces. */
const KEY_TYPES = new Map<string, string>([
  ['ssh-ed25519', 'ssh-ed25519'],
  ['sk-ssh-ed25519@openssh.com', 'sk-ssh-ed25519@openssh.com'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp256'],
  ['ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp384'],
  ['ecdsa-sha2-nistp521', 'ecdsa-sha2-nistp521'],
  ['sk-ecdsa-sha2-nistp256@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'],
  ['rsa-sha2-512', 'ssh-rsa'],
  ['rsa-sha2-256', 'ssh-rsa'],
])

/** Signature algorithms accepted for user keys. */
export const SIGNATURE_ALGORITHMS: readonly string[] = [...KEY_TYPES.keys()]

/** The key type a signature algorithm works with, or undefined when the algorithm is not accepted. */
export function keyTypeOf(algorithm: string): string | undefined {
  return KEY_TYPES.get(algorithm)
}

const ECDSA_HASHES: Readonly<Record<Curve, string>> = { nistp256: 'sha256', nistp384: 'sha384', nistp521: 'sha512' }
function keyObject(key: PublicKey): KeyObject {
  return createPublicKey({ key: publicJwk(key), format: 'jwk' })
}

/** Left-pads `magnitude` with zeros; undefined when it is longer than `bytes`. */
function fixed(magnitude: Uint8Array, bytes: number): Buffer | undefined {
  if (magnitude.length > bytes) return undefined
  const padded = Buffer.alloc(bytes)
  padded.set(magnitude, bytes - magnitude.length)
  return padded
}

function verifyEcdsa(key: PublicKey & { kind: 'ecdsa' }, message: Uint8Array, signature: Uint8Array): boolean {
  const reader = new WireReader(signature)
  const r = fixed(reader.mpint('r'), COORDINATE_BYTES[key.curve])
  const s = fixed(reader.mpint('s'), COORDINATE_BYTES[key.curve])
  reader.end('ECDSA signature')
  if (!r || !s) return false
  const raw = Buffer.concat([r, s])
  return verify(ECDSA_HASHES[key.curve], message, { key: keyObject(key), dsaEncoding: 'ieee-p1363' }, raw)
}

function verifyRsa(key: PublicKey & { kind: 'rsa' }, algorithm: string, message: Uint8Array, raw: Uint8Array): boolean {
  const signature = fixed(raw, key.modulus.length)
  if (!signature) return false
  return verify(algorithm === 'rsa-sha2-512' ? 'sha512' : 'sha256', message, keyObject(key), signature)
}

/** The bytes an authenticator signs instead of the message (PROTOCOL.u2f, "SSH U2F Signatures"). */
function assertion(application: string, flags: number, counter: Uint8Array, message: Uint8Array): Buffer {
  const hash = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()
  return Buffer.concat([hash(application), Buffer.of(flags), counter, hash(message)])
}

function check(key: PublicKey, algorithm: string, message: Uint8Array, blob: Uint8Array, needsVerified: boolean) {
  const reader = new WireReader(blob)
  if (reader.text('signature algorithm', 64) !== algorithm) return false
  const raw = reader.string('signature')
  let signed = message
  // A plain key asserts nothing about its user, so it cannot satisfy the requirement.
  if (key.application === undefined && needsVerified) return false
  if (key.application !== undefined) {
    const flags = reader.byte('flags')
    const counter = reader.bytes(4, 'counter')
    if ((flags & FLAG_USER_PRESENT) === 0) return false
    if (needsVerified && (flags & FLAG_USER_VERIFIED) === 0) return false
    signed = assertion(key.application, flags, counter, message)
  }
  reader.end('signature')
  if (key.kind === 'ecdsa') return verifyEcdsa(key, signed, raw)
  if (key.kind === 'rsa') return verifyRsa(key, algorithm, signed, raw)
  return raw.length === 64 && verify(null, signed, keyObject(key), raw)
}

export interface SignatureCheck {
  readonly key: PublicKey
  /** The algorithm negotiated in the request; the signature must name the same one. */
  readonly algorithm: string
  readonly message: Uint8Array
  /** Signature blob: algorithm name, signature, and for FIDO keys flags and counter. */
  readonly signature: Uint8Array
  /** The authenticator must have verified its user (PIN or biometrics), not only detected a touch. */
  readonly userVerificationRequired?: boolean
}

/** Verifies a signature. Malformed signatures are invalid, never an exception. */
export function verifySignature(input: SignatureCheck): boolean {
  if (KEY_TYPES.get(input.algorithm) !== input.key.type) return false
  try {
    const { key, algorithm, message, signature } = input
    return check(key, algorithm, message, signature, input.userVerificationRequired ?? false)
  } catch (error) {
    // WireError: malformed. Anything else is OpenSSL refusing the key (a point off its curve, say).
    if (error instanceof WireError || error instanceof Error) return false
    throw error
  }
}
