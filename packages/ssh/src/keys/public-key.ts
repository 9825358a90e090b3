// SSH public key blobs (RFC 4253 section 6.6, RFC 5656, RFC 8709, OpenSSH's PROTOCOL.u2f). Pure: also runs in browsers.
import { WireError, WireReader } from '../wire/reader.ts'

export type Curve = 'nistp256' | 'nistp384' | 'nistp521'

interface KeyBase {
  /** The name in the blob, for example `ssh-ed25519`. */
  readonly type: string
  /** Set for FIDO keys (`sk-…`): the relying party, usually `ssh:`. */
  readonly application?: string
}

export type PublicKey =
  | (KeyBase & { readonly kind: 'ed25519'; readonly key: Uint8Array })
  | (KeyBase & { readonly kind: 'ecdsa'; readonly curve: Curve; readonly point: Uint8Array })
  | (KeyBase & { readonly kind: 'rsa'; readonly exponent: Uint8Array; readonly modulus: Uint8Array })

/** Bytes of one coordinate, by curve. */
export const COORDINATE_BYTES: Readonly<Record<Curve, number>> = { nistp256: 32, nistp384: 48, nistp521: 66 }

const MIN_RSA_BITS = 2_048
/** Larger keys only make verification slow. */
const MAX_RSA_BITS = 8_192
const MAX_RSA_EXPONENT_BYTES = 4
const APPLICATION_BYTES = 255

const ECDSA_CURVES: Readonly<Record<string, Curve>> = {
  'ecdsa-sha2-nistp256': 'nistp256',
  'ecdsa-sha2-nistp384': 'nistp384',
  'ecdsa-sha2-nistp521': 'nistp521',
}

function readEd25519(reader: WireReader): Uint8Array {
  const key = reader.string('Ed25519 key')
  if (key.length !== 32) throw new WireError('Ed25519 key: must be 32 bytes')
  return key
}

function readEcdsa(reader: WireReader, curve: Curve): { readonly curve: Curve; readonly point: Uint8Array } {
  if (reader.text('curve', 16) !== curve) throw new WireError('curve: differs from the key type')
  const point = reader.string('point')
  if (point.length !== 1 + 2 * COORDINATE_BYTES[curve] || point[0] !== 4) {
    throw new WireError('point: must be uncompressed and of the size of its curve')
  }
  return { curve, point }
}

/** Number of bits of a magnitude without leading zeros. */
function bitLength(magnitude: Uint8Array): number {
  const [first] = magnitude
  return first === undefined ? 0 : magnitude.length * 8 - (Math.clz32(first) - 24)
}

function readRsa(reader: WireReader): { readonly exponent: Uint8Array; readonly modulus: Uint8Array } {
  const exponent = reader.mpint('RSA exponent')
  const modulus = reader.mpint('RSA modulus')
  const bits = bitLength(modulus)
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) {
    throw new WireError(`RSA modulus: must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits`)
  }
  const last = exponent.at(-1) ?? 0
  const isOne = exponent.length === 1 && last === 1
  if (exponent.length > MAX_RSA_EXPONENT_BYTES || (last & 1) === 0 || isOne) {
    throw new WireError('RSA exponent: must be odd, at least 3 and at most 32 bits')
  }
  return { exponent, modulus }
}

/**
 * Reads the fields after a key type's name; `plainType` is the name without `-cert-v01`.
 * @throws {WireError} for unknown types, RSA below 2048 bits and anything malformed
 */
export function readKeyFields(plainType: string, reader: WireReader): PublicKey {
  const type = plainType
  if (type === 'ssh-ed25519') return { kind: 'ed25519', type, key: readEd25519(reader) }
  if (type === 'ssh-rsa') return { kind: 'rsa', type, ...readRsa(reader) }
  if (type === 'sk-ssh-ed25519@openssh.com') {
    const key = readEd25519(reader)
    return { kind: 'ed25519', type, key, application: reader.text('application', APPLICATION_BYTES) }
  }
  if (type === 'sk-ecdsa-sha2-nistp256@openssh.com') {
    const fields = readEcdsa(reader, 'nistp256')
    return { kind: 'ecdsa', type, ...fields, application: reader.text('application', APPLICATION_BYTES) }
  }
  const curve = ECDSA_CURVES[type]
  if (curve === undefined) throw new WireError('key type: not supported')
  return { kind: 'ecdsa', type, ...readEcdsa(reader, curve) }
}

/**
 * Reads a plain public key blob; nothing may follow the key.
 * @throws {WireError} for unknown types, RSA below 2048 bits and anything malformed
 */
export function parsePublicKey(blob: Uint8Array): PublicKey {
  const reader = new WireReader(blob)
  const key = readKeyFields(reader.text('key type', 64), reader)
  reader.end('public key')
  return key
}
