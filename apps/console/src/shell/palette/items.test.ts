import { expect, it } from 'vitest'
import { type PaletteItem, inGroups, isCertain, isNamed, matching } from './items.ts'

const item = (label: string, more: Partial<PaletteItem> = {}): PaletteItem => ({
  id: label,
  group: 'Actions',
  label,
  run: () => {},
  ...more,
})
const labels = (items: readonly PaletteItem[]) => items.map(({ label }) => label)
const ITEMS = [
  item('Add a device'),
  item('Add a public key', { synonyms: 'new key, create a key' }),
  item('Sign out', { synonyms: 'log out, logout, log off' }),
]

it.each([
  ['', ['Add a device', 'Add a public key', 'Sign out']],
  ['add', ['Add a device', 'Add a public key']],
  ['key ADD', ['Add a public key']],
  ['action sign', ['Sign out']],
  ['log out', ['Sign out']],
  ['logo', ['Sign out']],
  ['new key', ['Add a public key']],
  ['nothing', []],
])('%j finds %j', (words, expected) => {
  expect(labels(matching(ITEMS, words))).toEqual(expected)
})

it('ranks the start of a label before the start of a word, that before a synonym, and that before the inside', () => {
  const all = [item('Redark'), item('Night', { synonyms: 'dark mode' }), item('Theme: Dark'), item('Dark room')]
  expect(labels(matching(all, 'dark'))).toEqual(['Dark room', 'Theme: Dark', 'Night', 'Redark'])
})

it('reads a space as whatever separates the words of a name', () => {
  const devices = ['unit-142', 'unit-420', 'kiosk-unit-42', 'unit-42'].map((name) => item(name, { group: 'Devices' }))
  expect(labels(matching(devices, 'unit 42'))).toEqual(['unit-42', 'unit-420', 'kiosk-unit-42', 'unit-142'])
  expect(labels(matching(devices, 'Unit_42'))).toContain('unit-42')
})

it('keeps what the server found by more than the label, after what fits by it', () => {
  const found = [item('lab-nas', { group: 'Devices', found: true }), ...ITEMS]
  expect(labels(inGroups(found, 'sign', 'Documentation'))).toEqual(['Sign out', 'lab-nas'])
})

it('shows the group with the best item first, each once, and one always last', () => {
  const all = [
    item('gateway sign', { group: 'Devices' }),
    item('Sign in', { group: 'Documentation' }),
    item('Design', { group: 'Actions' }),
    ...ITEMS,
  ]
  expect(labels(inGroups(all, 'sign', 'Documentation'))).toEqual(['Design', 'Sign out', 'gateway sign', 'Sign in'])
  expect(labels(inGroups(all, '', 'Documentation'))).toEqual(labels(all))
})

it('keeps the order of groups where one has the whole words and another begins with them', () => {
  const all = [item('kiosk-lobby', { group: 'Devices', found: true }), item('kiosk', { group: 'Tags' })]
  expect(labels(inGroups(all, 'kiosk', 'Documentation'))).toEqual(['kiosk-lobby', 'kiosk'])
})

it('is certain of what is known here by the start of its name', () => {
  expect(isCertain(item('Devices'), 'dev')).toBe(true)
  expect(isCertain(item('Add a device'), 'dev')).toBe(false)
  expect(isCertain(item('dev-1', { found: true }), 'dev')).toBe(false)
})

it.each([
  ['terminal-1', 'terminal', true],
  ['Terminal', 'terminal', true],
  ['Connection announcement', 'connect', false],
  ['unit-12', 'unit 1', false],
])('%j is named by %j: %j', (label, words, expected) => {
  expect(isNamed(item(label), words)).toBe(expected)
})
