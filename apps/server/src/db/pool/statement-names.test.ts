import { expect, it } from 'vitest'
import { statementNames } from './statement-names.ts'

it('names a text the second time it comes, and always the same', () => {
  const { nameOf } = statementNames()
  expect(nameOf('select 1')).toBeUndefined()
  const name = nameOf('select 1')
  expect(name).toMatch(/^q\d+$/)
  expect(nameOf('select 1')).toBe(name)
})

it('gives different texts different names', () => {
  const { nameOf } = statementNames()
  const texts = Array.from({ length: 100 }, (_, index) => `select ${index}`)
  for (const text of texts) nameOf(text)
  expect(new Set(texts.map(nameOf)).size).toBe(100)
})

it('stops at a bound, keeps what it has, and remembers only so many texts', () => {
  const { nameOf } = statementNames()
  const first = [nameOf('hot'), nameOf('hot')][1]
  const named = Array.from({ length: 5_000 }, (_, index) => [nameOf(`a${index}`), nameOf(`a${index}`)][1])
  expect(named.filter((name) => name !== undefined)).toHaveLength(199)
  expect(nameOf('hot')).toBe(first)
})

it('a flood of texts that come once takes no names', () => {
  const { nameOf } = statementNames()
  for (let index = 0; index < 10_000; index += 1) nameOf(`once ${index}`)
  nameOf('hot')
  expect(nameOf('hot')).toBe('q1')
})
