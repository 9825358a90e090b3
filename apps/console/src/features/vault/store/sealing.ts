// Encryption of the vault, by WebCrypto only. A random AES-256-GCM data key encrypts the private keys; each way to unlock
// has that key encrypted under one of its own, from a passphrase (PBKDF2) or from a passkey's secret (HKDF). Additional
// data bind every ciphertext to its place, so that none can be swapped, moved to another person or weakened.
import type { KeyJwk } from '@bowline/ssh/keys/private-key'
import type { PublicKey } from '@bowline/ssh/keys/public-key'
import { signingParameters } from '@bowline/ssh/keys/web-signature'
import type { KeyRecord, Way } from './records.ts'
import { VAULT_VERSION } from './records.ts'
import { VaultError } from './vault-error.ts'

/** Owner and origin of a vault. */
export interface Place {
  /** `https://host` of the console. */
  readonly origin: string
  /** Id of the person. */
  readonly person: string
  /** Id of the vault. */
  readonly vault: string
}

/** Iterations of new ways: hashes per guess. */
export const ITERATIONS = 1_000_000
const IV_BYTES = 12
const AES = { name: 'AES-GCM', length: 256 }
const HKDF_PURPOSE = new TextEncoder().encode('bowline vault: key of a passkey')

export const randomBytes = (count: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(count))

/** Unambiguous: the parts are quoted. */
function boundTo(
  purpose: string,
  { origin, person, vault }: Place,
  parts: readonly unknown[],
): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([purpose, VAULT_VERSION, origin, person, vault, ...parts]))
}

/** A new data key. It can be exported, to be encrypted for the ways to unlock, and is dropped right after that. */
export function createDataKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey(AES, true, ['encrypt', 'unwrapKey'])
}

/** The key of a passphrase (PBKDF2 with SHA-256, RFC 8018); the same passphrase typed on another keyboard counts. */
export async function passphraseKey(
  passphrase: string,
  { salt, iterations }: { readonly salt: Uint8Array<ArrayBuffer>; readonly iterations: number },
): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(passphrase.normalize('NFKC'))
  const base = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveKey'])
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
  return crypto.subtle.deriveKey(derivation, base, AES, false, ['wrapKey', 'unwrapKey'])
}

/** The key of a passkey's secret (HKDF with SHA-256, RFC 5869). @param secret 32 bytes, the output of its PRF */
export async function passkeyKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: HKDF_PURPOSE }
  return crypto.subtle.deriveKey(derivation, base, AES, false, ['wrapKey', 'unwrapKey'])
}

type WayFacts = { [Kind in Way['kind']]: Omit<Extract<Way, { kind: Kind }>, 'iv' | 'wrapped'> }[Way['kind']]

/** Everything about a way that decides how its key is derived. */
function wayData(place: Place, way: WayFacts): Uint8Array<ArrayBuffer> {
  const how = way.kind === 'passphrase' ? way.iterations : [...way.credential]
  return boundTo('data key', place, [way.id, way.kind, [...way.salt], how])
}

/** Encrypts the data key for a way to unlock. @param key of its passphrase or passkey */
export async function wrapDataKey(
  dataKey: CryptoKey,
  key: CryptoKey,
  place: Place,
  way: WayFacts,
): Promise<Pick<Way, 'iv' | 'wrapped'>> {
  const iv = randomBytes(IV_BYTES)
  const cipher = { name: 'AES-GCM', iv, additionalData: wayData(place, way) }
  return { iv, wrapped: new Uint8Array(await crypto.subtle.wrapKey('raw', dataKey, key, cipher)) }
}

/**
 * Decrypts the data key.
 * @param toWrap true when it is to be encrypted for another way: only then can it be exported
 * @throws {VaultError} `wrong-secret`: not the key of this way, or the way was tampered with
 */
export async function unwrapDataKey(key: CryptoKey, place: Place, way: Way, toWrap = false): Promise<CryptoKey> {
  const cipher = { name: 'AES-GCM', iv: way.iv, additionalData: wayData(place, way) }
  try {
    return await crypto.subtle.unwrapKey('raw', way.wrapped, key, cipher, AES, toWrap, ['encrypt', 'unwrapKey'])
  } catch (error) {
    throw new VaultError('wrong-secret', { cause: error })
  }
}

const recordData = (place: Place, { id, publicKey }: Pick<KeyRecord, 'id' | 'publicKey'>) =>
  boundTo('private key', place, [id, publicKey])

/** Encrypts a private key for its record. */
export async function sealKey(
  dataKey: CryptoKey,
  place: Place,
  record: Pick<KeyRecord, 'id' | 'publicKey'>,
  jwk: KeyJwk,
): Promise<Pick<KeyRecord, 'iv' | 'sealed'>> {
  const iv = randomBytes(IV_BYTES)
  const cipher = { name: 'AES-GCM', iv, additionalData: recordData(place, record) }
  const sealed = await crypto.subtle.encrypt(cipher, dataKey, new TextEncoder().encode(JSON.stringify(jwk)))
  return { iv, sealed: new Uint8Array(sealed) }
}

/**
 * Decrypts a private key straight into WebCrypto: the page never sees it, and it cannot be exported.
 * @throws {VaultError} `damaged`: the record was changed or moved; `unsupported`: the browser has no such keys
 */
export async function openKey(
  dataKey: CryptoKey,
  place: Place,
  record: KeyRecord,
  publicKey: PublicKey,
): Promise<CryptoKey> {
  const cipher = { name: 'AES-GCM', iv: record.iv, additionalData: recordData(place, record) }
  const { subtle } = crypto
  try {
    return await subtle.unwrapKey('jwk', record.sealed, dataKey, cipher, signingParameters(publicKey), false, ['sign'])
  } catch (error) {
    const isUnsupported = error instanceof DOMException && error.name === 'NotSupportedError'
    throw new VaultError(isUnsupported ? 'unsupported' : 'damaged', { cause: error })
  }
}
