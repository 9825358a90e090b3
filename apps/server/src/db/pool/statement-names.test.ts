import { expect, it } from 'vitest'
import { statementNames } from './statement-names.ts'

it('names a statement from its second use on, always the same', () => {
  const { nameOf } = statementNames()
  expect(nameOf('select 1')).toBeUndefined()
  const name = nameOf('select 1')
  expect(name).toMatch(/^q\d+$/)
  expect(nameOf('select 1')).toBe(name)
})

it('gives different statements different names', () => {
  const { nameOf } = statementNames()
  const texts = Array.from({ length: 100 }, (_, index) => `select ${index}`)
  for (const text of texts) nameOf(text)
  expect(new Set(texts.map(nameOf)).size).toBe(100)
})

it('limits the number of names and keeps those assigned', () => {
  const { nameOf } = statementNames()
  const first = [nameOf('hot'), nameOf('hot')][1]
  const named = Array.from({ length: 5_000 }, (_, index) => [nameOf(`a${index}`), nameOf(`a${index}`)][1])
  expect(named.filter((name) => name !== undefined)).toHaveLength(199)
  expect(nameOf('hot')).toBe(first)
})

it('assigns no names to statements used once', () => {
  const { nameOf } = statementNames()
  for (let index = 0; index < 10_000; index += 1) nameOf(`once ${index}`)
  nameOf('hot')
  expect(nameOf('hot')).toBe('q1')
})
