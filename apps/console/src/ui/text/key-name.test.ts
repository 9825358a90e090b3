import { expect, it } from 'vitest'
import { keyName, keyNames } from './key-name.ts'

it.each([
  ['mod+k', 'Ctrl+K'],
  ['Ctrl+Shift+C', 'Ctrl+Shift+C'],
  ['Ctrl++', 'Ctrl++'],
  ['Shift+x', 'Shift+X'],
  ['E', 'Shift+E'],
  ['x', 'x'],
  ['+', '+'],
  ['?', '?'],
  ['Shift+F10', 'Shift+F10'],
  ['Enter', 'Enter'],
])('names %j as %s', (key, name) => {
  expect(keyName(key)).toBe(name)
})

it('names each of several keys', () => {
  expect([keyNames('Shift+← →'), keyNames('n N'), keyNames('0 … 9')]).toEqual(['Shift+← →', 'n Shift+N', '0 … 9'])
})
