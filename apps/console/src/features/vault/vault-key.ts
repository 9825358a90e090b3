// A key of the vault as the console shows it, and its record. What is shown comes from the public half, which the
// ciphertext is bound to.
import { sha256Fingerprint } from '@bowline/ssh/keys/fingerprint'
import { encodePublicKey } from '@bowline/ssh/keys/key-blob'
import type { PrivateKey } from '@bowline/ssh/keys/private-key'
import { type PublicKey, parsePublicKey } from '@bowline/ssh/keys/public-key'
import { KeyRecord } from './store/records.ts'
import { type Place, sealKey } from './store/sealing.ts'

/** The record cannot be read or was tampered with; or the browser has no such keys. */
export type KeyFault = 'damaged' | 'unsupported'

export interface VaultKey {
  readonly id: string
  readonly name: string
  /** `ssh-ed25519`; '' for a damaged key. */
  readonly type: string
  /** As `ssh-keygen -l` prints it. */
  readonly fingerprint: string
  /** SSH wire encoding of the public half, base64. */
  readonly publicKey: string
  /** Line of authorized_keys. */
  readonly line: string
  /** Milliseconds since 1970. */
  readonly added: number
  /** Why it cannot sign; undefined: it can. Known once the vault has been unlocked. */
  readonly fault: KeyFault | undefined
  readonly parsed: PublicKey | undefined
  /** As stored. */
  readonly record: unknown
}

const DAMAGED = {
  id: '',
  name: '',
  type: '',
  fingerprint: '',
  publicKey: '',
  line: '',
  added: 0,
  fault: 'damaged',
} as const

export async function toVaultKey(record: unknown): Promise<VaultKey> {
  const read = KeyRecord.safeParse(record)
  if (!read.success) return { ...DAMAGED, ...idIn(record), parsed: undefined, record }
  const { id, name, publicKey, added } = read.data
  try {
    const blob = Uint8Array.from(atob(publicKey), (character) => character.codePointAt(0) ?? 0)
    const parsed = parsePublicKey(blob)
    const line = `${parsed.type} ${publicKey} ${name}`
    const fingerprint = await sha256Fingerprint(blob)
    return { id, name, type: parsed.type, fingerprint, publicKey, line, added, fault: undefined, parsed, record }
  } catch {
    return { ...DAMAGED, id, name, added, parsed: undefined, record }
  }
}

/** For a damaged record: people can still remove it. */
function idIn(record: unknown): { readonly id?: string } {
  return typeof record === 'object' && record !== null && 'id' in record ? { id: String(record.id) } : {}
}

/** A new record for a key. */
export async function toRecord(dataKey: CryptoKey, place: Place, name: string, key: PrivateKey): Promise<KeyRecord> {
  const blob = encodePublicKey(key.publicKey)
  const publicKey = btoa(Array.from(blob, (byte) => String.fromCodePoint(byte)).join(''))
  const facts = { id: crypto.randomUUID(), publicKey }
  const sealed = await sealKey(dataKey, place, facts, key.jwk)
  return { ...facts, ...sealed, person: place.person, vault: place.vault, name, added: Date.now() }
}
