import { expect, it } from 'vitest'
import { type PaletteItem, inGroups } from './items.ts'
import { isShortened, isWithinOneEdit, nearest } from './nearest.ts'

const item = (label: string, more: Partial<PaletteItem> = {}): PaletteItem => ({
  id: label,
  group: 'Pages',
  label,
  run: () => {},
  ...more,
})
const labels = (items: readonly PaletteItem[]) => items.map(({ label }) => label)
const ITEMS = [
  item('Devices'),
  item('Sessions'),
  item('Public keys'),
  item('Connect to a device …', { group: 'Actions', synonyms: 'connect, ssh' }),
  item('Sign out', { group: 'Actions', synonyms: 'log out, logout' }),
]

it.each([
  ['devcies', ['Devices']],
  ['sesions', ['Sessions']],
  ['sessoin', ['Sessions']],
  ['conect', ['Connect to a device …']],
  ['sign otu', []],
  ['sing out', ['Sign out']],
  ['logotu', ['Sign out']],
  ['public keyz', ['Public keys']],
  ['pubkey', ['Public keys']],
  ['dvcs', ['Devices']],
  ['dv', []],
  ['vm-12', []],
  ['nothing', []],
  ['', []],
])('%j may mean %j', (words, expected) => {
  expect(labels(nearest(ITEMS, words))).toEqual(expected)
})

it('ranks a mistyped label before a mistyped synonym, and that before a shortened label', () => {
  const all = [
    item('Alerts or pages'),
    item('Mail', { synonyms: 'alarm, aloper' }),
    item('Show the aloop'),
    item('Aloop'),
  ]
  expect(labels(nearest(all, 'alop'))).toEqual(['Aloop', 'Show the aloop', 'Mail', 'Alerts or pages'])
})

it('puts what may be meant after what the server found, and before what always comes last', () => {
  const found = [item('guide', { group: 'Documentation', found: true }), item('lab', { group: 'Devices', found: true })]
  const all = [...nearest(ITEMS, 'devcies'), ...found]
  expect(labels(inGroups(all, 'devcies', 'Documentation'))).toEqual(['lab', 'Devices', 'guide'])
})

it.each([
  ['abc', 'abc', true],
  ['abc', 'acb', true],
  ['abc', 'ab', true],
  ['abc', 'abcd', true],
  ['abc', 'xbc', true],
  ['abcd', 'badc', false],
  ['abc', 'cba', false],
  ['abc', 'abcde', false],
  ['', 'a', true],
])('%j and %j are one edit apart: %j', (one, other, expected) => {
  expect(isWithinOneEdit(one, other)).toBe(expected)
  expect(isWithinOneEdit(other, one)).toBe(expected)
})

it.each([
  ['apk', 'add a public key', true],
  ['addkey', 'add a public key', true],
  ['kub', 'public key', false],
  ['ubl', 'public key', false],
])('%j shortens %j: %j', (typed, text, expected) => {
  expect(isShortened(typed, text)).toBe(expected)
})
