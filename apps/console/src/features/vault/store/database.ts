// The vault's database in the browser (IndexedDB): one header per person, its keys, and the last use by device. A change
// is one transaction, which compares first: several tabs share it.
import { VaultError } from './vault-error.ts'
import { KeyRecord, type LastUse, VAULT_VERSION, VaultHeader } from './records.ts'

const NAME = 'bowline-vault'
const [HEADERS, KEYS, USES] = ['headers', 'keys', 'uses']
const BOTH_IDS = { keyPath: ['person', 'id'] }

/** The stored records of a person, unparsed. */
export interface StoredVault {
  readonly header: unknown
  readonly keys: readonly unknown[]
  readonly uses: readonly unknown[]
}

export async function readStored(person: string): Promise<StoredVault> {
  return transact('readonly', async (stores) => ({
    header: await answer(stores.headers.get(person)),
    keys: await answer(stores.keys.getAll(ofPerson(person))),
    uses: await answer(stores.uses.getAll(ofPerson(person))),
  }))
}

/** Stores a new vault with its keys. @throws {VaultError} `changed` when there is one already */
export function insertVault(header: VaultHeader, keys: readonly KeyRecord[]): Promise<void> {
  return transact('readwrite', async (stores) => {
    if ((await answer(stores.headers.get(header.person))) !== undefined) throw new VaultError('changed')
    stores.headers.add(header)
    for (const key of keys) stores.keys.put(key)
  })
}

/** Changes the header. @throws {VaultError} `changed` when the vault is no longer the same */
export function updateHeader(
  of: { readonly person: string; readonly vault: string },
  change: (header: VaultHeader) => VaultHeader,
): Promise<void> {
  return transact('readwrite', async (stores) => {
    stores.headers.put(change(await sameVault(stores, of)))
  })
}

/** @throws {VaultError} `changed` when the vault is no longer the same; `known` when the key is in it */
export function insertKey(record: KeyRecord): Promise<void> {
  return transact('readwrite', async (stores) => {
    await sameVault(stores, record)
    const others = await answer(stores.keys.getAll(ofPerson(record.person)))
    const known = others.flatMap((other: unknown) => KeyRecord.safeParse(other).data ?? [])
    if (known.some(({ publicKey }) => publicKey === record.publicKey)) throw new VaultError('known')
    stores.keys.add(record)
  })
}

/** Renames a key; nothing happens to one that is gone. */
export function renameKey(person: string, id: string, name: string): Promise<void> {
  return transact('readwrite', async (stores) => {
    const record = KeyRecord.safeParse(await answer(stores.keys.get([person, id])))
    if (record.success) stores.keys.put({ ...record.data, name })
  })
}

export function deleteKey(person: string, id: string): Promise<void> {
  return transact('readwrite', (stores) => {
    stores.keys.delete([person, id])
    return Promise.resolve()
  })
}

export function putUse(use: LastUse): Promise<void> {
  return transact('readwrite', (stores) => {
    stores.uses.put(use)
    return Promise.resolve()
  })
}

/** Removes everything of a person, whatever it is. */
export function deleteVault(person: string): Promise<void> {
  return transact('readwrite', (stores) => {
    stores.headers.delete(person)
    stores.keys.delete(ofPerson(person))
    stores.uses.delete(ofPerson(person))
    return Promise.resolve()
  })
}

interface Stores {
  readonly headers: IDBObjectStore
  readonly keys: IDBObjectStore
  readonly uses: IDBObjectStore
}

/** All keys that start with the person's id: arrays sort behind every string. */
const ofPerson = (person: string): IDBKeyRange => IDBKeyRange.bound([person], [person, []])

async function sameVault({ headers }: Stores, of: { person: string; vault: string }): Promise<VaultHeader> {
  const header = VaultHeader.safeParse(await answer(headers.get(of.person)))
  if (!header.success || header.data.id !== of.vault) throw new VaultError('changed')
  return header.data
}

/** @param work awaits nothing but requests of its stores: otherwise the browser ends the transaction */
async function transact<T>(mode: IDBTransactionMode, work: (stores: Stores) => Promise<T>): Promise<T> {
  const database = await open()
  try {
    const transaction = database.transaction([HEADERS, KEYS, USES], mode, { durability: 'strict' })
    const done = new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve())
      transaction.addEventListener('abort', () => reject(new VaultError('unavailable', { cause: transaction.error })))
    })
    const store = (name: string) => transaction.objectStore(name)
    try {
      const result = await work({ headers: store(HEADERS), keys: store(KEYS), uses: store(USES) })
      await done
      return result
    } catch (error) {
      done.catch(() => undefined)
      if (error instanceof VaultError) transaction.abort()
      throw error
    }
  } finally {
    database.close()
  }
}

/** Opened for each transaction: an open connection would keep a newer console from changing the database. */
function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      const isOther = error instanceof DOMException && error.name === 'VersionError'
      reject(new VaultError(isOther ? 'other-version' : 'unavailable', { cause: error }))
    }
    try {
      const request = indexedDB.open(NAME, VAULT_VERSION)
      request.addEventListener('upgradeneeded', () => {
        request.result.createObjectStore(HEADERS, { keyPath: 'person' })
        request.result.createObjectStore(KEYS, BOTH_IDS)
        request.result.createObjectStore(USES, { keyPath: ['person', 'device'] })
      })
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () => fail(request.error))
      // By a page of another version that still uses it.
      request.addEventListener('blocked', () => fail(new DOMException('another page uses it', 'VersionError')))
    } catch (error) {
      fail(error)
    }
  })
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(new VaultError('unavailable', { cause: request.error })))
  })
}
