// Fingerprint of a device's public key as `ssh-keygen -l` prints it: SHA-256 over the key in SSH wire format (RFC 4253
// section 6.6, RFC 8709), base64 without padding. Devices send PEM: SubjectPublicKeyInfo, or PKCS#1 from older agents.

/** Object identifiers in DER, hexadecimal: id-Ed25519 (RFC 8410), rsaEncryption (RFC 8017). */
const ED25519 = '2b6570'
const RSA = '2a864886f70d010101'
const SEQUENCE = 0x30
const INTEGER = 0x02
const BIT_STRING = 0x03
const OBJECT_IDENTIFIER = 0x06

interface Element {
  readonly tag: number
  readonly content: Uint8Array
}

/**
 * @param pem the device's key
 * @returns `SHA256:…`; undefined when the key cannot be parsed or in an insecure context, which has no `crypto.subtle`
 */
export async function keyFingerprint(pem: string): Promise<string | undefined> {
  const wire = wireKey(pem)
  return wire && fingerprintOf(wire)
}

/**
 * @param wire a key in SSH wire format
 * @returns `SHA256:…`; undefined in an insecure context, which has no `crypto.subtle`
 */
export async function fingerprintOf(wire: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  // `crypto.subtle` exists in secure contexts only, although its type says otherwise.
  const subtle: SubtleCrypto | undefined = globalThis.crypto.subtle
  if (!subtle) return undefined
  const digest = new Uint8Array(await subtle.digest('SHA-256', wire))
  return `SHA256:${btoa(String.fromCharCode(...digest)).replace(/=+$/, '')}`
}

/** The key in SSH wire format; undefined when it is neither Ed25519 nor RSA. */
export function wireKey(pem: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const body = /-----BEGIN (?:RSA )?PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem)?.[1]
    if (body === undefined) return undefined
    const der = Uint8Array.from(atob(body.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0))
    const [outer] = elements(der)
    if (outer?.tag !== SEQUENCE) return undefined
    const [first, second] = elements(outer.content)
    if (first?.tag === INTEGER && second?.tag === INTEGER) return rsaWire(first.content, second.content)
    if (first?.tag !== SEQUENCE || second?.tag !== BIT_STRING) return undefined
    const algorithm = elements(first.content).find(({ tag }) => tag === OBJECT_IDENTIFIER)
    // A bit string starts with the number of unused bits, 0 for keys.
    const key = second.content.subarray(1)
    const name = algorithm ? hex(algorithm.content) : ''
    if (name === ED25519) return concat(text('ssh-ed25519'), counted(key))
    if (name !== RSA) return undefined
    const [modulus, exponent] = elements(elements(key)[0]?.content ?? new Uint8Array())
    return modulus && exponent ? rsaWire(modulus.content, exponent.content) : undefined
  } catch {
    return undefined
  }
}

/** DER integers already have the form of SSH's mpint (RFC 4251 section 5). */
function rsaWire(modulus: Uint8Array, exponent: Uint8Array): Uint8Array<ArrayBuffer> {
  return concat(text('ssh-rsa'), counted(exponent), counted(modulus))
}

/** The elements of a DER value, one level. Throws RangeError when it is truncated. */
function elements(der: Uint8Array): Element[] {
  const found: Element[] = []
  let at = 0
  while (at < der.length) {
    const tag = der[at] ?? 0
    let length = der[at + 1] ?? 0
    at += 2
    if (length > 0x80) {
      const count = length - 0x80
      if (count > 3) throw new RangeError('A DER length of more than three bytes is no key.')
      length = der.subarray(at, at + count).reduce((sum, byte) => sum * 256 + byte, 0)
      at += count
    }
    if (at + length > der.length) throw new RangeError('The DER value is cut short.')
    found.push({ tag, content: der.subarray(at, at + length) })
    at += length
  }
  return found
}

function text(word: string): Uint8Array {
  return counted(new TextEncoder().encode(word))
}

/** SSH `string`: a 32-bit length, then the bytes. */
function counted(bytes: Uint8Array): Uint8Array {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, bytes.length)
  return concat(length, bytes)
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
