// RSA key pairs with the self-signed certificate that SAML metadata carries them in.
import { webcrypto } from 'node:crypto'

export interface KeyPair {
  /** PEM. */
  readonly privateKey: string
  /** Base64 of the DER form. */
  readonly certificate: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

const YEARS = 3

/** Makes a key pair without blocking the event loop. @param now milliseconds since the epoch */
export async function makeKeyPair(name: string, now: number): Promise<KeyPair> {
  // Loaded lazily, as its polyfill, which it needs first.
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto)
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 3_072,
    publicExponent: new Uint8Array([1, 0, 1]),
  }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const expiresAt = now + YEARS * 365 * 86_400_000
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now - 86_400_000),
    notAfter: new Date(expiresAt),
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
    certificate: Buffer.from(certificate.rawData).toString('base64'),
    expiresAt,
  }
}
