// Ways to unlock the vault: a passphrase, or a passkey that derives a secret.
import { askForSecret, createSecretPasskey } from './secret-passkey.ts'
import type { Way } from './store/records.ts'
import {
  ITERATIONS,
  type Place,
  passkeyKey,
  passphraseKey,
  randomBytes,
  unwrapDataKey,
  wrapDataKey,
} from './store/sealing.ts'

type PassphraseWay = Extract<Way, { kind: 'passphrase' }>
type PasskeyWay = Extract<Way, { kind: 'passkey' }>

/** Secret that unlocks: for a passkey the browser asks. */
export type Proof = { readonly way: PassphraseWay; readonly passphrase: string } | { readonly way: PasskeyWay }

export type NewWay =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  /** @param person name that the authenticator shows; `name` is shown in the list */
  | { readonly kind: 'passkey'; readonly person: string; readonly name: string }

const SALT_BYTES = 32

function keyOf(proof: Proof): Promise<CryptoKey> {
  if ('passphrase' in proof) return passphraseKey(proof.passphrase, proof.way)
  return askForSecret(proof.way.credential, proof.way.salt).then(passkeyKey)
}

/** The data key. @throws {VaultError} `wrong-secret`; {PasskeyFailure} */
export async function proveWay(proof: Proof, place: Place): Promise<CryptoKey> {
  return unwrapDataKey(await keyOf(proof), place, proof.way)
}

/** Encrypts the data key for a new way. For a passkey the browser creates one. @throws {PasskeyFailure} */
export async function newWay(dataKey: CryptoKey, place: Place, way: NewWay): Promise<Way> {
  const [id, salt] = [crypto.randomUUID(), randomBytes(SALT_BYTES)]
  if (way.kind === 'passphrase') {
    const facts = { kind: way.kind, id, salt, iterations: ITERATIONS }
    return { ...facts, ...(await wrapDataKey(dataKey, await passphraseKey(way.passphrase, facts), place, facts)) }
  }
  const { credential, secret } = await createSecretPasskey(way.person, salt)
  const facts = { kind: way.kind, id, salt, name: way.name, credential }
  return { ...facts, ...(await wrapDataKey(dataKey, await passkeyKey(secret), place, facts)) }
}

/**
 * Encrypts the data key for another way to unlock: one that unlocks now decrypts it.
 * @throws {VaultError} `wrong-secret`; {PasskeyFailure}
 */
export async function rewrapped(proof: Proof, place: Place, way: NewWay): Promise<Way> {
  const dataKey = await unwrapDataKey(await keyOf(proof), place, proof.way, true)
  return newWay(dataKey, place, way)
}
