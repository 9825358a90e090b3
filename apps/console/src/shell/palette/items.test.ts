import { expect, it } from 'vitest'
import { matching } from './items.ts'

const item = (label: string) => ({ id: label, group: 'Actions', label, run: () => {} })
const ITEMS = [item('Add a device'), item('Add a public key'), item('Sign out')]

it.each([
  ['', ['Add a device', 'Add a public key', 'Sign out']],
  ['add', ['Add a device', 'Add a public key']],
  ['key ADD', ['Add a public key']],
  ['action sign', ['Sign out']],
  ['nothing', []],
])('%j finds %j', (words, expected) => {
  expect(matching(ITEMS, words).map(({ label }) => label)).toEqual(expected)
})
