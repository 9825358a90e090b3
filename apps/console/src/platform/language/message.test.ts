import { expect, it } from 'vitest'
import { createMessageFormat } from './message.ts'

const english = createMessageFormat('en')
const german = createMessageFormat('de')
const DEVICES = '{count, plural, =0 {no device} one {# device} other {# devices}} of {name}'

it.each([
  [0, 'no device of Ada'],
  [1, '1 device of Ada'],
  [2, '2 devices of Ada'],
  [1234, '1,234 devices of Ada'],
])('chooses the form for %d', (count, text) => {
  expect(english.format(DEVICES, { count, name: 'Ada' })).toBe(text)
})

it('counts as the language writes numbers', () => {
  expect(german.format('{count, plural, one {# Gerät} other {# Geräte}}', { count: 1234 })).toBe('1.234 Geräte')
})

it('puts values in as they are, whatever they hold', () => {
  const name = String.raw`\x41 {name} '#'`
  expect(english.format('Remove {name}?', { name })).toBe(`Remove ${name}?`)
  expect(english.format('{count, plural, one {# of {name}} other {# of {name}}}', { count: 2, name })).toBe(
    `2 of ${name}`,
  )
})

it('chooses a branch by a word, and the other one by any other word', () => {
  const message = 'down{where, select, none {} other { from {where}}}'
  expect([english.format(message, { where: 'none' }), english.format(message, { where: 'Berlin' })]).toEqual([
    'down',
    'down from Berlin',
  ])
})

it('leaves apostrophes alone', () => {
  expect(english.format("the server's key of {name}", { name: 'Ada' })).toBe("the server's key of Ada")
})

it('refuses a message without one of its values', () => {
  expect(() => english.format('Remove {name}?')).toThrow('no value for {name}')
})
