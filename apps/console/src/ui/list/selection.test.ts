import { expect, it } from 'vitest'
import { toggled } from './selection.ts'

const ORDER = ['a', 'b', 'c', 'd']

it.each([
  ['selects one row', [], { key: 'b', from: undefined }, ['b']],
  ['deselects one row', ['a', 'b'], { key: 'b', from: undefined }, ['a']],
  ['selects a range downwards', ['a'], { key: 'c', from: 'a' }, ['a', 'b', 'c']],
  ['selects a range upwards', ['d'], { key: 'b', from: 'd' }, ['b', 'c', 'd']],
  ['deselects a range', ['a', 'b', 'c'], { key: 'c', from: 'b' }, ['a']],
  ['takes a row whose other end is gone by itself', ['x'], { key: 'c', from: 'gone' }, ['c', 'x']],
])('%s', (_, selected, change, expected) => {
  expect([...toggled(new Set(selected), ORDER, change)].toSorted()).toEqual(expected)
})
