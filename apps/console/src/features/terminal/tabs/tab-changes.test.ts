import { expect, it } from 'vitest'
import type { Tab } from '../tab.ts'
import { movedTab, tabName } from './tab-changes.ts'

const tabs = ['a', 'b', 'c'].map((id): Tab => ({ id, layout: { kind: 'pane', id }, focused: id, name: undefined }))
const ids = (list: readonly Tab[]) => list.map(({ id }) => id).join('')

it('moves a tab to any place, and not beyond the ends', () => {
  expect(ids(movedTab(tabs, 'a', 2))).toBe('bca')
  expect(ids(movedTab(tabs, 'c', 0))).toBe('cab')
  expect(ids(movedTab(tabs, 'b', 9))).toBe('acb')
  expect(ids(movedTab(tabs, 'b', -1))).toBe('bac')
})

it('leaves the tabs as they are where nothing moves', () => {
  expect(movedTab(tabs, 'b', 1)).toBe(tabs)
  expect(movedTab(tabs, 'x', 1)).toBe(tabs)
})

it('takes a clean name, or none', () => {
  expect(tabName('  web\u202E server ')).toBe('web server')
  expect(tabName('x'.repeat(100))).toHaveLength(60)
  expect(tabName(' \u200B ')).toBeUndefined()
})
