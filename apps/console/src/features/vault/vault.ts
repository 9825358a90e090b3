// The vault of the signed-in person: private keys of this browser, encrypted where they are stored. While it is unlocked
// the keys are in WebCrypto, which signs with them and does not give them out; the data key that decrypts them is dropped
// at once. So a change asks for the passphrase or the passkey again.
import type { PrivateKey } from '@bowline/ssh/keys/private-key'
import { type Signer, signatureAlgorithm, signerOf } from '@bowline/ssh/keys/web-signature'
import type { Runtime } from '../../core/runtime.ts'
import { lockKeys } from '../../core/unlocked-keys.ts'
import { type Store, createStore } from '../../platform/store.ts'
import { type VaultTabs, openVaultTabs } from './tabs.ts'
import { createIdleWatch } from './idle.ts'
import { type VaultKey, toVaultKey, toRecord } from './vault-key.ts'
import { type VaultState, keepMarks, openOrMark, placeOf, readVault } from './vault-state.ts'
import type { NewWay, Proof } from './ways.ts'
import { newWay, proveWay, rewrapped } from './ways.ts'
import { readBackup, writeBackup } from './store/backup.ts'
import * as database from './store/database.ts'
import { KeyRecord, type LastUse, VAULT_VERSION, type VaultHeader, type Way } from './store/records.ts'
import { type Place, createDataKey, openKey } from './store/sealing.ts'
import { VaultError } from './store/vault-error.ts'

/** Credential of a terminal. */
export interface VaultCredential {
  readonly kind: 'key'
  /** Type and fingerprint. */
  readonly label: string
  /** SSH wire encoding of the public half, base64. */
  readonly publicKey: string
  /** Id of the key. */
  readonly vaultKey: string
  /** Signs while the vault is unlocked. */
  readonly signer: Signer
}

export interface Vault {
  readonly state: Store<VaultState>
  /** Settles once the storage has answered for the signed-in person. */
  ready(): Promise<VaultState>
  /** The key, to sign with; undefined while the vault is locked, and for a damaged one. */
  credential(id: string): VaultCredential | undefined
  /** Makes the vault, with its first key. It is unlocked then, if the same person is still signed in. */
  create(way: NewWay, name: string, key: PrivateKey): Promise<string>
  /** @throws {VaultError} `wrong-secret`; {PasskeyFailure} */
  unlock(proof: Proof): Promise<void>
  /** Locks it in all tabs. */
  readonly lock: () => void
  /** Adds a key. @returns its id. @throws {VaultError} as `unlock`, and `known` */
  add(proof: Proof, name: string, key: PrivateKey): Promise<string>
  rename(id: string, name: string): Promise<void>
  remove(id: string): Promise<void>
  /** Adds a way to unlock, or replaces the one with the id. @throws {VaultError} as `unlock` */
  setWay(proof: Proof, way: NewWay, replaces?: string): Promise<void>
  removeWay(id: string): Promise<void>
  setIdleMinutes(minutes: number): Promise<void>
  /** The whole store as the content of a file, encrypted as it is stored. */
  backup(): Promise<string>
  /** Stores what a backup has; locked. @throws {VaultError} as `readBackup`, and `changed` when there is a store already */
  restore(text: string): Promise<void>
  /** Deletes it, with all keys. */
  forget(): Promise<void>
  /** The last use on a device. */
  lastUse(device: string): LastUse | undefined
  remember(use: Omit<LastUse, 'person'>): Promise<void>
}

const DEFAULT_IDLE_MINUTES = 15

const vaults = new WeakMap<Runtime, Vault>()

export function vaultOf(runtime: Runtime): Vault {
  const known = vaults.get(runtime) ?? createVault(runtime)
  vaults.set(runtime, known)
  return known
}

function createVault(runtime: Runtime): Vault {
  const state = createStore<VaultState>({ kind: 'loading' })
  /** Signers by id of the key; empty while the vault is locked. */
  const signing = new Map<string, CryptoKey>()
  let uses: readonly LastUse[] = []
  let person = ''
  let reading = Promise.resolve()

  const idle = createIdleWatch({
    now: () => Date.now(),
    later(work, delayMs) {
      const timer = setTimeout(work, delayMs)
      return () => clearTimeout(timer)
    },
    onIdle: () => vault.lock(),
  })
  const tabs: VaultTabs = openVaultTabs({
    person: () => person,
    locked: lockHere,
    changed: () => void read(),
    added(vaultId, id, key) {
      const now = state.get()
      if (now.kind === 'unlocked' && now.header.id === vaultId) signing.set(id, key)
      void read()
    },
    active: () => idle.touch(),
  })

  /** Reads the storage anew. One after the other, so that the last one read is the newest. */
  function read(): Promise<void> {
    reading = reading.then(load)
    return reading
  }

  async function load(): Promise<void> {
    const of = person
    const read = await readVault(of)
    if (of !== person) return
    ;({ uses } = read)
    const next = read.state
    const now = state.get()
    if (next.kind === 'locked' && now.kind === 'unlocked' && now.header.id === next.header.id) {
      if (now.header.idleMinutes !== next.header.idleMinutes) idle.start(next.header.idleMinutes)
      return state.set({ ...next, kind: 'unlocked', keys: keepMarks(now.keys, next.keys) })
    }
    dropKeys()
    state.set(next)
  }

  function dropKeys(): void {
    signing.clear()
    idle.stop()
  }

  function lockHere(): void {
    dropKeys()
    const now = state.get()
    if (now.kind === 'unlocked') state.set({ ...now, kind: 'locked' })
  }

  function present(): { header: VaultHeader; keys: readonly VaultKey[]; place: Place } {
    const now = state.get()
    if (now.kind !== 'locked' && now.kind !== 'unlocked') throw new VaultError('changed')
    return { header: now.header, keys: now.keys, place: placeOf(now.header) }
  }

  async function changed(): Promise<void> {
    tabs.changed()
    await read()
  }

  /** Stores a key and lets this page sign with it. */
  async function insert(dataKey: CryptoKey, place: Place, name: string, key: PrivateKey, header?: VaultHeader) {
    const record = await toRecord(dataKey, place, name, key)
    const imported = await openKey(dataKey, place, record, key.publicKey)
    await (header ? database.insertVault(header, [record]) : database.insertKey(record))
    return { record, imported }
  }

  /** Changes the ways to unlock; what they are now is decided inside of the transaction. */
  async function updateWays(of: string, change: (ways: readonly Way[]) => Way[]): Promise<void> {
    await database.updateHeader({ person, vault: of }, (header) => ({ ...header, ways: change(header.ways) }))
    await changed()
  }

  const vault: Vault = {
    state,
    async ready() {
      await reading
      return state.get()
    },
    credential(id) {
      const now = state.get()
      const facts = now.kind === 'unlocked' ? now.keys.find((one) => one.id === id) : undefined
      if (!facts?.parsed || !signing.has(id)) return undefined
      const { type, fingerprint, publicKey, parsed } = facts
      // Terminals keep the credential, to connect again: it must not outlive the unlocked vault.
      const sign: Signer['sign'] = async (message) => {
        const key = signing.get(id)
        if (!key) throw new VaultError('locked')
        return signerOf(parsed, key).sign(message)
      }
      const signer = { algorithm: signatureAlgorithm({ publicKey: parsed }), sign }
      return { kind: 'key', label: `${type} ${fingerprint}`, publicKey, vaultKey: id, signer }
    },
    async create(way, name, key) {
      const place = { origin: location.origin, person, vault: crypto.randomUUID() }
      const dataKey = await createDataKey()
      const ways = [await newWay(dataKey, place, way)]
      const header = {
        version: VAULT_VERSION,
        person,
        id: place.vault,
        idleMinutes: DEFAULT_IDLE_MINUTES,
        ways,
      } as const
      const { record, imported } = await insert(dataKey, place, name, key, header)
      const shown = await toVaultKey(record)
      // Meanwhile another person has signed in, or this one has signed out: the vault stays locked, as it is stored.
      if (person !== place.person) return record.id
      dropKeys()
      signing.set(record.id, imported)
      state.set({ kind: 'unlocked', header, keys: [shown] })
      idle.start(header.idleMinutes)
      tabs.changed()
      return record.id
    },
    async unlock(proof) {
      const { header, keys, place } = present()
      const dataKey = await proveWay(proof, place)
      const opened = await Promise.all(keys.map((key) => openOrMark(dataKey, place, key)))
      const now = state.get()
      // Meanwhile somebody else has signed in, or another tab has forgotten the vault.
      if (now.kind !== 'locked' || now.header.id !== header.id) return
      for (const { key, imported } of opened) if (imported) signing.set(key.id, imported)
      state.set({ ...now, kind: 'unlocked', keys: opened.map(({ key }) => key) })
      idle.start(now.header.idleMinutes)
    },
    lock() {
      lockHere()
      tabs.locked()
    },
    async add(proof, name, key) {
      const { place } = present()
      const { record, imported } = await insert(await proveWay(proof, place), place, name, key)
      const now = state.get()
      if (now.kind === 'unlocked' && now.header.id === place.vault) signing.set(record.id, imported)
      tabs.added(place.vault, record.id, imported)
      await read()
      return record.id
    },
    async rename(id, name) {
      await database.renameKey(person, id, name)
      await changed()
    },
    async remove(id) {
      await database.deleteKey(person, id)
      signing.delete(id)
      await changed()
    },
    async setWay(proof, way, replaces) {
      const { header, place } = present()
      const added = await rewrapped(proof, place, way)
      await updateWays(header.id, (ways) => [...ways.filter(({ id }) => id !== replaces), added])
    },
    async removeWay(id) {
      const { header } = present()
      await updateWays(header.id, (ways) => {
        const rest = ways.filter((way) => way.id !== id)
        if (rest.length === 0) throw new VaultError('last-way')
        return rest
      })
    },
    async setIdleMinutes(idleMinutes) {
      const { header } = present()
      await database.updateHeader({ person, vault: header.id }, (stored) => ({ ...stored, idleMinutes }))
      await changed()
    },
    async backup() {
      const { header } = present()
      const { keys } = await database.readStored(header.person)
      // Damaged records would make the file unreadable.
      const readable = keys.flatMap((key) => KeyRecord.safeParse(key).data ?? [])
      return writeBackup({ origin: location.origin, header, keys: readable })
    },
    async restore(text) {
      const { header, keys } = readBackup(text, { origin: location.origin, person })
      await database.insertVault(header, keys)
      await changed()
    },
    async forget() {
      await database.deleteVault(person)
      dropKeys()
      await changed()
    },
    lastUse: (device) => uses.find((use) => use.device === device),
    async remember(use) {
      const stored = { ...use, person }
      uses = [stored, ...uses.filter(({ device }) => device !== use.device)]
      await database.putUse(stored)
    },
  }

  function follow(): void {
    const { session } = runtime
    const now = session.state.get()
    const next = now.kind === 'signed-in' ? now.person.id : ''
    if (next === person) return
    person = next
    dropKeys()
    uses = []
    state.set({ kind: 'loading' })
    void read()
  }
  state.subscribe(() => lockKeys.set(state.get().kind === 'unlocked' ? vault.lock : undefined))
  runtime.session.state.subscribe(follow)
  follow()
  const touch = () => {
    idle.touch()
    if (state.get().kind === 'unlocked') tabs.active()
  }
  for (const event of ['keydown', 'pointerdown', 'wheel'])
    addEventListener(event, touch, { capture: true, passive: true })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && touch())
  return vault
}
