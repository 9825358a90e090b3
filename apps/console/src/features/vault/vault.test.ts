import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Runtime } from '../../core/runtime.ts'
import { createStore } from '../../platform/store.ts'
import { makeKey } from './new-key.ts'
import * as database from './store/database.ts'
import { vaultOf } from './vault.ts'

vi.mock('./store/database.ts')

beforeEach(() => {
  vi.stubGlobal('location', { origin: 'https://console.example' })
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('document', { addEventListener: () => undefined })
  vi.mocked(database.readStored).mockResolvedValue({ header: undefined, keys: [], uses: [] })
})
afterEach(() => void vi.unstubAllGlobals())

const WAY = { kind: 'passphrase', passphrase: 'twelve characters' } as const

function start() {
  const signedIn = (id: string) => ({ kind: 'signed-in', person: { id } })
  const state = createStore<object>(signedIn('ada'))
  const runtime = { session: { state } } as unknown as Runtime
  return { vault: vaultOf(runtime), signIn: (id: string) => state.set(signedIn(id)) }
}

it('is unlocked once it is made', async () => {
  const { vault } = start()
  await vault.ready()
  const id = await vault.create(WAY, 'mine', await makeKey())
  expect(vault.state.get()).toMatchObject({ kind: 'unlocked', header: { person: 'ada' } })
  expect(vault.credential(id)).toBeDefined()
  vault.lock()
})

it('is not shown to another person who has signed in while it was made', async () => {
  const { vault, signIn } = start()
  await vault.ready()
  vi.mocked(database.insertVault).mockImplementationOnce(async () => {
    signIn('bob')
    await vault.ready()
  })
  const id = await vault.create(WAY, 'mine', await makeKey())
  expect(vault.state.get()).toEqual({ kind: 'none' })
  expect(vault.credential(id)).toBeUndefined()
})
