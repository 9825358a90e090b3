// The vault as it is stored, read into what the console shows.
import * as database from './store/database.ts'
import { KeyRecord, LastUse, VAULT_VERSION, VaultHeader } from './store/records.ts'
import { type Place, openKey } from './store/sealing.ts'
import { VaultError, type VaultReason } from './store/vault-error.ts'
import { type VaultKey, toVaultKey } from './vault-key.ts'

export type VaultState =
  /** Nobody is signed in, or the storage has not answered yet. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly reason: VaultReason }
  | { readonly kind: 'locked' | 'unlocked'; readonly header: VaultHeader; readonly keys: readonly VaultKey[] }

interface ReadVault {
  readonly state: VaultState
  readonly uses: readonly LastUse[]
}

/** @param person id; '' when nobody is signed in. @returns a state that is never unlocked */
export async function readVault(person: string): Promise<ReadVault> {
  const only = (state: VaultState): ReadVault => ({ state, uses: [] })
  if (person === '') return only({ kind: 'loading' })
  // Browsers have it in secure contexts only, whatever the types say.
  if (!('subtle' in crypto)) return only({ kind: 'unreadable', reason: 'insecure' })
  try {
    const stored = await database.readStored(person)
    if (stored.header === undefined && stored.keys.length === 0) return only({ kind: 'none' })
    const header = VaultHeader.safeParse(stored.header)
    if (!header.success) {
      return only({ kind: 'unreadable', reason: isOtherVersion(stored.header) ? 'other-version' : 'damaged' })
    }
    const keys = await Promise.all(stored.keys.map(toVaultKey))
    const uses = stored.uses.flatMap((use) => LastUse.safeParse(use).data ?? [])
    return { state: { kind: 'locked', header: header.data, keys }, uses }
  } catch (error) {
    return only({ kind: 'unreadable', reason: error instanceof VaultError ? error.reason : 'unavailable' })
  }
}

function isOtherVersion(header: unknown): boolean {
  return typeof header === 'object' && header !== null && 'version' in header && header.version !== VAULT_VERSION
}

export const placeOf = ({ person, id }: VaultHeader): Place => ({ origin: location.origin, person, vault: id })

interface OpenedKey {
  readonly key: VaultKey
  /** Signer; undefined for a key with a fault. */
  readonly imported?: CryptoKey
}

/** A key that cannot be opened is marked, and does not keep the others locked. */
export async function openOrMark(dataKey: CryptoKey, place: Place, key: VaultKey): Promise<OpenedKey> {
  try {
    if (!key.parsed) return { key }
    return { key, imported: await openKey(dataKey, place, KeyRecord.parse(key.record), key.parsed) }
  } catch (error) {
    const isUnsupported = error instanceof VaultError && error.reason === 'unsupported'
    return { key: { ...key, fault: isUnsupported ? 'unsupported' : 'damaged' } }
  }
}

/** The keys as they are stored now, with what the unlocked vault knows of them. */
export function keepMarks(before: readonly VaultKey[], stored: readonly VaultKey[]): VaultKey[] {
  const faults = new Map(before.map(({ id, fault }) => [id, fault]))
  return stored.map((key) => ({ ...key, fault: key.fault ?? faults.get(key.id) }))
}
