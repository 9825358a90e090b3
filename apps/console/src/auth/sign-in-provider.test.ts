import { expect, it } from 'vitest'
import { forgetLeftProvider, leftProvider, noteProvider, noteSignOut } from './sign-in-provider.ts'

class MemoryStorage implements Storage {
  readonly #values = new Map<string, string>()
  get length() {
    return this.#values.size
  }
  clear = () => this.#values.clear()
  getItem = (key: string) => this.#values.get(key) ?? null
  key = (index: number) => [...this.#values.keys()][index] ?? null
  removeItem = (key: string) => void this.#values.delete(key)
  setItem = (key: string, value: string) => void this.#values.set(key, value)
}

const browser = () => {
  const shared = new MemoryStorage()
  return { tab: () => ({ shared, tab: new MemoryStorage() }) }
}

it('offers the provider of the sign-in in the tab that signs out, until it is used', () => {
  const { tab } = browser()
  const [first, second] = [tab(), tab()]
  noteProvider('directory', first)
  expect(leftProvider(second)).toBe('')
  noteSignOut(second)
  expect([leftProvider(first), leftProvider(second)]).toEqual(['', 'directory'])
  forgetLeftProvider(second)
  expect(leftProvider(second)).toBe('')
})

it('offers nothing after a sign-in by another way, or a second time', () => {
  const one = browser().tab()
  noteProvider('directory', one)
  noteSignOut(one)
  noteProvider(undefined, one)
  expect(leftProvider(one)).toBe('')
  noteSignOut(one)
  expect(leftProvider(one)).toBe('')
  noteProvider('directory', one)
  noteSignOut(one)
  noteSignOut(one)
  expect(leftProvider(one)).toBe('')
})
