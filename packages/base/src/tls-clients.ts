// TLS towards servers that strangers run: its computations are the caller's, and each blocks every other connection.
import { createPrivateKey } from 'node:crypto'
import { DEFAULT_CIPHERS } from 'node:tls'

/**
 * Cipher suites for such servers: without the finite-field key exchange of TLS 1.2,
 * whose group the server chooses. One of 8192 bits takes a hundred times as long as an elliptic curve.
 */
export const CIPHERS_OF_STRANGERS = `${DEFAULT_CIPHERS}:!kDHE`

/** Largest RSA key that signs for a client, in bits: one of 16384 takes more than a second for each handshake. */
export const MAX_RSA_BITS = 4_096

/** @param pem private key @returns true for RSA keys of more than {@link MAX_RSA_BITS}; false also for what is no key */
export function isSlowKey(pem: string): boolean {
  try {
    return (createPrivateKey(pem).asymmetricKeyDetails?.modulusLength ?? 0) > MAX_RSA_BITS
  } catch {
    return false
  }
}
