import { afterEach, expect, it, vi } from 'vitest'
import { recentDevices, recentSessions } from './recent.ts'

const stored = new Map<string, string>()
vi.stubGlobal('localStorage', {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => stored.set(key, value),
})
afterEach(() => stored.clear())

it('keeps the five opened last, each once, by namespace', () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'c']) recentDevices.remember('one', { uid: `uid-${name}`, name })
  recentDevices.remember('other', { uid: 'x', name: 'x' })
  expect(recentDevices.of('one').map(({ name }) => name)).toEqual(['c', 'f', 'e', 'd', 'b'])
  expect(recentSessions.of('one')).toEqual([])
})

it('takes a new name, and nothing else of what it is given', () => {
  recentSessions.remember('one', { uid: 's', name: 'root@a' })
  const renamed = { uid: 's', name: 'root@b', secret: 'hidden' }
  recentSessions.remember('one', renamed)
  expect(recentSessions.of('one')).toEqual([{ uid: 's', name: 'root@b' }])
})

it.each(['{', '"text"', '[1, null, {"uid": 1}]'])('reads %j as empty', (text) => {
  stored.set('bowline.recent.one', text)
  expect(recentDevices.of('one')).toEqual([])
})
