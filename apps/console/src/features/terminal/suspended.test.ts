import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TABS_KEY, expireSuspendedSessions, hasSuspendedSessions } from './suspended.ts'

const store = new Map<string, string>()
const waiting: { work: () => void; delayMs: number }[] = []
const later = (work: () => void, delayMs: number) => waiting.push({ work, delayMs })

beforeEach(() => {
  store.clear()
  waiting.length = 0
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => store.set(key, value),
    removeItem: (key: string) => store.delete(key),
  })
})
afterEach(() => void vi.unstubAllGlobals())

const tabs = (suspendedAt: number | undefined, session?: object) =>
  JSON.stringify({ owner: 'me', active: 0, suspendedAt, tabs: [{ layout: { kind: 'pane', session } }] })
const SESSION = {
  username: 'pi',
  suspended: { session: 's', token: 'secret', seconds: 60 },
  snapshot: { output: 'shown' },
}

it('keeps sessions while the server does, and removes them then, but not their tabs', () => {
  let time = 1_000_000
  store.set(TABS_KEY, tabs(time, SESSION))
  time += 20_000
  expireSuspendedSessions(() => time, later)
  expect(hasSuspendedSessions()).toBe(true)
  expect(waiting.map(({ delayMs }) => delayMs)).toEqual([40_000])
  time += 40_000
  waiting[0]?.work()
  expect(hasSuspendedSessions()).toBe(false)
  expect(store.get(TABS_KEY)).toBe(tabs(1_000_000))
  expect(waiting).toHaveLength(1)
})

it('keeps them for as long as the server that has them', () => {
  const kept = { ...SESSION, suspended: { ...SESSION.suspended, seconds: 600 } }
  store.set(TABS_KEY, tabs(1_000_000, kept))
  expireSuspendedSessions(() => 1_090_000, later)
  expect(hasSuspendedSessions()).toBe(true)
  expect(waiting.map(({ delayMs }) => delayMs)).toEqual([510_000])
})

it('takes a minute for sessions that an earlier version of the console has stored', () => {
  store.set(TABS_KEY, tabs(1_000_000, { ...SESSION, suspended: { session: 's', token: 'secret' } }))
  expireSuspendedSessions(() => 1_020_000, later)
  expect(waiting.map(({ delayMs }) => delayMs)).toEqual([40_000])
})

it('removes sessions of an unknown age, and what cannot be read', () => {
  for (const at of [undefined, 2_000_000]) {
    store.set(TABS_KEY, tabs(at, SESSION))
    expireSuspendedSessions(() => 1_000_000, later)
    expect(store.get(TABS_KEY)).toBe(tabs(at))
  }
  store.set(TABS_KEY, '{"suspended"')
  expireSuspendedSessions(() => 1_000_000, later)
  expect(store.size).toBe(0)
  expect(waiting).toEqual([])
})

it('changes nothing where no session is stored', () => {
  store.set(TABS_KEY, tabs(undefined))
  expireSuspendedSessions(() => 1_000_000, later)
  expect(store.get(TABS_KEY)).toBe(tabs(undefined))
})
