// Private keys that are to go into the vault: read from what a person has pasted, or generated here.
import { keyOfJwk } from '@bowline/ssh/keys/jwk'
import { type PrivateKey, PrivateKeyError } from '@bowline/ssh/keys/private-key'
import { vaultMessages as texts } from './messages.ts'
import { VaultError } from './store/vault-error.ts'

/** A new Ed25519 key. @throws {VaultError} `unsupported` in browsers that have none */
export async function makeKey(): Promise<PrivateKey> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']).catch((error: unknown) => {
    throw new VaultError('unsupported', { cause: error })
  })
  const exported = 'privateKey' in pair ? await crypto.subtle.exportKey('jwk', pair.privateKey) : {}
  const { kty = '', crv = '', x = '', d = '' } = exported
  const publicKey = keyOfJwk({ kty, crv, x })
  if (!publicKey) throw new VaultError('unsupported')
  return { publicKey, jwk: { kty, crv, x, d }, comment: '' }
}

/** The fault of a pasted key, at the field that corrects it; undefined for other errors. */
export function keyFault(error: unknown): { field: 'keyText' | 'keyPassphrase'; message: string } | undefined {
  if (!(error instanceof PrivateKeyError)) return undefined
  if (error.reason === 'passphrase-needed') return { field: 'keyPassphrase', message: texts.keyEncrypted }
  if (error.reason === 'wrong-passphrase') return { field: 'keyPassphrase', message: texts.wrong }
  return { field: 'keyText', message: texts.keyUnusable(error.message.replace(/^private key: /, '')) }
}
