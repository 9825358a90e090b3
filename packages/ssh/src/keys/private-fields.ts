// The type-specific fields of a private key in OpenSSH's format (PROTOCOL.key) as JSON Web Key parameters.
import { WireError, WireReader } from '../wire/reader.ts'
import { publicJwk, toBase64url } from './jwk.ts'
import { COORDINATE_BYTES, readKeyFields } from './public-key.ts'
import type { Curve, PublicKey } from './public-key.ts'
import { WireWriter } from '../wire/writer.ts'

interface Fields {
  readonly publicKey: PublicKey
  readonly jwk: Readonly<Record<string, string>>
}

function bigOf(magnitude: Uint8Array): bigint {
  let value = 0n
  for (const byte of magnitude) value = (value << 8n) | BigInt(byte)
  return value
}

function magnitudeOf(value: bigint): Uint8Array {
  const hex = value.toString(16)
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  return Uint8Array.from(even.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function ed25519(reader: WireReader): Fields {
  const publicKey = readKeyFields('ssh-ed25519', reader)
  const both = reader.string('private key')
  if (both.length !== 64) throw new WireError('private key: must be 64 bytes')
  return { publicKey, jwk: { ...publicJwk(publicKey), d: toBase64url(both.subarray(0, 32)) } }
}

function ecdsa(type: string, reader: WireReader): Fields {
  const publicKey = readKeyFields(type, reader)
  if (publicKey.kind !== 'ecdsa') throw new WireError('key type: not ECDSA')
  const curve: Curve = publicKey.curve
  const scalar = reader.mpint('private key')
  if (scalar.length > COORDINATE_BYTES[curve]) throw new WireError('private key: longer than its curve')
  const d = new Uint8Array(COORDINATE_BYTES[curve])
  d.set(scalar, d.length - scalar.length)
  return { publicKey, jwk: { ...publicJwk(publicKey), d: toBase64url(d) } }
}

function rsa(reader: WireReader): Fields {
  // Here the modulus comes first, unlike in a public key.
  const [n, e, d] = [reader.mpint('modulus'), reader.mpint('exponent'), reader.mpint('private exponent')]
  const [qi, p, q] = [reader.mpint('coefficient'), reader.mpint('prime p'), reader.mpint('prime q')]
  const publicKey = readKeyFields('ssh-rsa', new WireReader(new WireWriter().mpint(e).mpint(n).done()))
  const exponent = bigOf(d)
  const dp = magnitudeOf(exponent % (bigOf(p) - 1n))
  const dq = magnitudeOf(exponent % (bigOf(q) - 1n))
  const parts = Object.entries({ d, p, q, dp, dq, qi }).map(([name, value]) => [name, toBase64url(value)])
  return { publicKey, jwk: { ...publicJwk(publicKey), ...Object.fromEntries(parts) } }
}

/** @throws {WireError} when the fields are malformed or the private part is not usable for signing (FIDO keys) */
export function readPrivateFields(reader: WireReader): Fields {
  const type = reader.text('key type', 64)
  if (type === 'ssh-ed25519') return ed25519(reader)
  if (type === 'ssh-rsa') return rsa(reader)
  if (type.startsWith('ecdsa-sha2-')) return ecdsa(type, reader)
  throw new WireError('key type: not one whose private part can be used here')
}
