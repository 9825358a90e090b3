// Converts between JSON Web Keys (RFC 7517, 8037) and SSH keys. Pure.
import { COORDINATE_BYTES } from './public-key.ts'
import type { Curve, PublicKey } from './public-key.ts'

export const JWK_CURVES: Readonly<Record<Curve, string>> = { nistp256: 'P-256', nistp384: 'P-384', nistp521: 'P-521' }

export function toBase64url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0)
}

/** The public parameters of a key; for a FIDO key those of the key inside. */
export function publicJwk(key: PublicKey): Readonly<Record<string, string>> {
  if (key.kind === 'ed25519') return { kty: 'OKP', crv: 'Ed25519', x: toBase64url(key.key) }
  if (key.kind === 'rsa') return { kty: 'RSA', e: toBase64url(key.exponent), n: toBase64url(key.modulus) }
  const bytes = COORDINATE_BYTES[key.curve]
  const x = toBase64url(key.point.subarray(1, 1 + bytes))
  return { kty: 'EC', crv: JWK_CURVES[key.curve], x, y: toBase64url(key.point.subarray(1 + bytes)) }
}

function curveOf(name: string): Curve | undefined {
  if (name === 'P-256') return 'nistp256'
  if (name === 'P-384') return 'nistp384'
  return name === 'P-521' ? 'nistp521' : undefined
}

/** The SSH key with these parameters, or undefined for kinds SSH does not have. */
export function keyOfJwk(jwk: Readonly<Record<string, string>>): PublicKey | undefined {
  const { kty, crv = '', x = '', y = '', e = '', n = '' } = jwk
  if (kty === 'OKP' && crv === 'Ed25519') return { kind: 'ed25519', type: 'ssh-ed25519', key: fromBase64url(x) }
  if (kty === 'RSA') {
    return { kind: 'rsa', type: 'ssh-rsa', exponent: fromBase64url(e), modulus: fromBase64url(n) }
  }
  const curve = curveOf(crv)
  if (kty !== 'EC' || !curve) return undefined
  const [left, right] = [fromBase64url(x), fromBase64url(y)]
  const point = new Uint8Array(1 + left.length + right.length)
  point[0] = 4
  point.set(left, 1)
  point.set(right, 1 + left.length)
  return { kind: 'ecdsa', type: `ecdsa-sha2-${curve}`, curve, point }
}
