// Proof that the agent holds its device's private key: a signature over the server's fresh nonce and the device's uid,
// domain-separated from every other protocol. Ed25519, or RSA (PKCS #1 v1.5 with SHA-256) for keys of old agents.
import { type KeyObject, createPublicKey, sign, verify } from 'node:crypto'

const MIN_RSA_BITS = 2_048
const MAX_RSA_BITS = 8_192

/**
 * @param privateKey of type ed25519 or rsa
 * @param nonce the server's, base64url
 * @throws {Error} when the key is of another type
 */
export function signProof(privateKey: KeyObject, deviceUid: string, nonce: string): string {
  return signText(privateKey, proofText(deviceUid, nonce))
}

/**
 * @param publicKeyPem SPKI or PKCS #1 PEM, as the device registered it
 * @param signature base64url, as the peer claims it
 */
export function verifyProof(publicKeyPem: string, deviceUid: string, nonce: string, signature: string): boolean {
  return verifyText(publicKeyPem, proofText(deviceUid, nonce), signature)
}

/**
 * Signs a text; the text must carry its own domain separation.
 * @returns base64url
 * @throws {Error} when the key is neither Ed25519 nor RSA
 */
export function signText(privateKey: KeyObject, text: string): string {
  const digest = digestFor(privateKey)
  if (digest === undefined) throw new Error(`a device key must be Ed25519 or RSA, this one is ${keyType(privateKey)}`)
  return sign(digest, Buffer.from(text), privateKey).toString('base64url')
}

/** Verifies a device key's signature of a text. Never throws: key and signature are untrusted. */
export function verifyText(publicKeyPem: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey(publicKeyPem)
    const digest = digestFor(key)
    return digest !== undefined && verify(digest, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

function proofText(deviceUid: string, nonce: string): string {
  return `bowline link v1: device proof\n${deviceUid}\n${nonce}\n`
}

/** Digest to sign with (null: the algorithm has its own), or undefined when the key is unsuitable. */
function digestFor(key: KeyObject): string | null | undefined {
  if (key.asymmetricKeyType === 'ed25519') return null
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  return key.asymmetricKeyType === 'rsa' && bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS ? 'sha256' : undefined
}

function keyType(key: KeyObject): string {
  return key.asymmetricKeyType ?? key.type
}
