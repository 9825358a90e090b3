import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sessionTrace } from './session-trace.ts'

const stored = new Map<string, string>()

beforeEach(() => {
  stored.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    get length() {
      return stored.size
    },
  })
})
afterEach(() => vi.unstubAllGlobals())

it('expects no session in a browser that is new here', () => {
  expect(sessionTrace.isLikely()).toBe(false)
})

it('expects one after a sign-in, until it has ended', () => {
  sessionTrace.note(true)
  expect(sessionTrace.isLikely()).toBe(true)
  sessionTrace.note(false)
  expect(sessionTrace.isLikely()).toBe(false)
})

it('expects one where the console was used before it kept a trace', () => {
  stored.set('bowline.first-list', '{}')
  expect(sessionTrace.isLikely()).toBe(true)
})

it('expects one where nothing can be stored', () => {
  vi.stubGlobal('localStorage', {
    getItem() {
      throw new DOMException('refused', 'SecurityError')
    },
    setItem() {
      throw new DOMException('refused', 'SecurityError')
    },
  })
  sessionTrace.note(false)
  expect(sessionTrace.isLikely()).toBe(true)
})
