import { DeviceUid } from '@bowline/contract/schemas/common'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createStore } from '../../platform/store.ts'
import { createTabKeeper } from './kept-tabs.ts'
import type { KeptSession, Pane } from './pane/pane.ts'
import { TABS_KEY, hasSuspendedSessions } from './suspended.ts'
import type { WorkspaceState } from './tab.ts'

const store = new Map<string, string>()
const listeners = new Map<string, () => void>()

beforeEach(() => {
  store.clear()
  vi.useFakeTimers({ now: 5_000 })
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => listeners.set(type, listener))
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => store.set(key, value),
    removeItem: (key: string) => store.delete(key),
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const SESSION: KeptSession = {
  username: 'pi',
  title: '',
  suspended: { session: 's', token: 't', seconds: 60, shown: 0, input: { offset: 0, bytes: new Uint8Array() } },
  snapshot: { output: '', columns: 80, rows: 24 },
}

it('stores sessions with the time at which the page goes away, and removes them when the person signs out', () => {
  const device = { uid: DeviceUid.parse('a'.repeat(64)), name: 'one', namespace: 'lab' }
  const pane: Pick<Pane, 'device' | 'suspend'> = { device, suspend: () => SESSION }
  let left = ''
  const state = createStore<WorkspaceState>({ tabs: [], active: undefined })
  createTabKeeper({
    state,
    panes: new Map([['a', pane as Pane]]),
    add: () => pane as Pane,
    nextTab: () => 'tab',
    owner: () => 'me',
    left: (tabs) => (left = tabs),
  })
  const layout = { kind: 'pane', id: 'a' } as const
  state.set({ tabs: [{ id: 'tab', name: undefined, layout, focused: 'a' }], active: 'tab' })
  expect(store.get(TABS_KEY)).not.toContain('suspended')
  listeners.get('pagehide')?.()
  expect(hasSuspendedSessions()).toBe(true)
  expect(JSON.parse(store.get(TABS_KEY) ?? '')).toMatchObject({ owner: 'me', suspendedAt: 5_000 })
  expect(left).toBe(store.get(TABS_KEY))
  // As the workspace does when its person has signed out.
  state.set({ tabs: [], active: undefined })
  expect(store.size).toBe(0)
})
