// A user's private key in the package's representation, and the error for one that cannot be read. Pure.
import type { PublicKey } from './public-key.ts'

/** Parameters of a JSON Web Key, ready for `crypto.subtle.importKey('jwk', …)`. */
export type KeyJwk = Readonly<Record<string, string>>

export interface PrivateKey {
  readonly publicKey: PublicKey
  readonly jwk: KeyJwk
  /** Empty when the format has none. */
  readonly comment: string
}

/** Why a private key cannot be used. `reason` is stable. */
export class PrivateKeyError extends Error {
  override readonly name = 'PrivateKeyError'
  readonly reason: 'not-a-key' | 'not-supported' | 'passphrase-needed' | 'wrong-passphrase'

  constructor(reason: PrivateKeyError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
