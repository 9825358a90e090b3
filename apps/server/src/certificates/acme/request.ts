// Certificate signing requests, and what an issued chain must be before it is used.
import { X509Certificate, createPrivateKey, webcrypto } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { TlsMaterial } from '../../platform/network/certificate.ts'
import { AcmeError } from './errors.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'

/** Loaded when it is used: few starts need it. The library needs the polyfill first. */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto)
  return x509
}

/** A new key and the request for its certificate. @returns `csr`: DER in base64url; `key`: PEM */
export async function makeRequest(names: readonly string[]): Promise<{ readonly csr: string; readonly key: string }> {
  const x509 = await loadX509()
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTHENTICATION]),
    ],
  })
  return { csr: Buffer.from(request.rawData).toString('base64url'), key: await pemOf(keys.privateKey) }
}

/** PEM of a private key. */
export async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${pkcs8.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
}

/**
 * Makes sure that a certificate works before it replaces another one.
 * @param now milliseconds since the epoch
 * @throws {AcmeError} saying what is wrong with it
 */
export function requireUsable({ cert, key }: TlsMaterial, names: readonly string[], now: number): X509Certificate {
  const refuse = (why: string): never => {
    throw new AcmeError(`The certificate that the authority has issued ${why}.`)
  }
  let leaf: X509Certificate
  try {
    leaf = new X509Certificate(cert)
    createSecureContext({ cert, key })
  } catch {
    return refuse('cannot be read, or is for another key')
  }
  if (!leaf.checkPrivateKey(createPrivateKey(key))) refuse('is for another key')
  const missing = names.find((name) => leaf.checkHost(name.replace(/^\*\./, 'any.')) === undefined)
  if (missing !== undefined) refuse(`is not for ${missing}`)
  if (leaf.validToDate.getTime() <= now) refuse('has expired')
  return leaf
}
