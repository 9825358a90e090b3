// Private keys in DER: PKCS#8 (RFC 5208, 8410), and the bare RSA (PKCS#1) and EC (RFC 5915) structures, which are
// wrapped in PKCS#8 so that WebCrypto can read them.
import { keyOfJwk } from './jwk.ts'
import { PrivateKeyError } from './private-key.ts'
import type { PrivateKey } from './private-key.ts'

interface Algorithm {
  /** Encoded object identifier of the algorithm, in hex. */
  readonly oid: string
  readonly import: { readonly name: string; readonly namedCurve?: string; readonly hash?: string }
  /** The AlgorithmIdentifier of PKCS#8, in hex. */
  readonly identifier: string
}

const EC_IDENTIFIER = '06072a8648ce3d0201'

const ALGORITHMS: readonly Algorithm[] = [
  { oid: '06032b6570', import: { name: 'Ed25519' }, identifier: '300506032b6570' },
  {
    oid: '06092a864886f70d010101',
    import: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    identifier: '300d06092a864886f70d0101010500',
  },
  {
    oid: '06082a8648ce3d030107',
    import: { name: 'ECDSA', namedCurve: 'P-256' },
    identifier: `3013${EC_IDENTIFIER}06082a8648ce3d030107`,
  },
  {
    oid: '06052b81040022',
    import: { name: 'ECDSA', namedCurve: 'P-384' },
    identifier: `3010${EC_IDENTIFIER}06052b81040022`,
  },
  {
    oid: '06052b81040023',
    import: { name: 'ECDSA', namedCurve: 'P-521' },
    identifier: `3010${EC_IDENTIFIER}06052b81040023`,
  },
]

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** One DER element in hex: tag, length and content. */
function element(tag: string, content: string): string {
  const bytes = content.length / 2
  if (bytes < 0x80) return tag + bytes.toString(16).padStart(2, '0') + content
  const length = bytes.toString(16)
  const even = length.length % 2 === 0 ? length : `0${length}`
  return tag + (0x80 | (even.length / 2)).toString(16) + even + content
}

/** Wraps a bare RSA or EC structure in PKCS#8. */
function wrap(bytes: Uint8Array, algorithm: Algorithm): Uint8Array<ArrayBuffer> {
  return fromHex(element('30', `020100${algorithm.identifier}${element('04', toHex(bytes))}`))
}

/** Finds the structure's algorithm; its identifier is near the front (PKCS#8) or after the scalar (EC). */
function algorithmOf(label: string, hex: string): Algorithm | undefined {
  if (label === 'RSA PRIVATE KEY') return ALGORITHMS.find(({ import: { name } }) => name.startsWith('RSA'))
  const found = ALGORITHMS.filter(({ oid }) => hex.includes(oid))
  // Random key bytes could hold a short identifier by chance: the first in the file is the real one.
  return found.toSorted((one, other) => hex.indexOf(one.oid) - hex.indexOf(other.oid))[0]
}

/**
 * @param label of the PEM block: `PRIVATE KEY`, `RSA PRIVATE KEY` or `EC PRIVATE KEY`
 * @throws {PrivateKeyError} with its reason
 */
export async function readPkcs8(label: string, bytes: Uint8Array<ArrayBuffer>): Promise<PrivateKey> {
  const algorithm = algorithmOf(label, toHex(bytes.subarray(0, 400)))
  if (!algorithm) {
    throw new PrivateKeyError('not-supported', 'private key: must be Ed25519, ECDSA on a NIST curve, or RSA')
  }
  const wrapped = label === 'PRIVATE KEY' ? bytes : wrap(bytes, algorithm)
  const exported = await exportJwk(wrapped, algorithm)
  const publicKey = exported && keyOfJwk(exported)
  if (!publicKey) throw new PrivateKeyError('not-a-key', 'private key: the structure inside is damaged')
  return { publicKey, jwk: exported, comment: '' }
}

/** The key as JSON Web Key parameters (WebCrypto computes the public part); undefined when it is damaged. */
async function exportJwk(pkcs8: Uint8Array<ArrayBuffer>, { import: algorithm }: Algorithm) {
  try {
    const key = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign'])
    const jwk: object = await crypto.subtle.exportKey('jwk', key)
    const texts = Object.entries(jwk).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return Object.fromEntries(texts.filter(([name]) => name !== 'alg'))
  } catch {
    return undefined
  }
}
