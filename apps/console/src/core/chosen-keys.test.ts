import { afterEach, describe, expect, it } from 'vitest'
import { type KeyedAction, chooseKeys, chosenKeys, conflictOf, forgetChosenKeys, keysOf } from './chosen-keys.ts'
import { appMessages } from './messages.ts'
import { DEVICE_KEYS, SESSION_KEYS } from './shortcuts.ts'

const action = (id: string, ...usual: string[]): KeyedAction => ({ id, usual, label: id })
const DEVICES = action('devices', 'g', 'd')
const SHEET = action('sheet', '?')
const RENAME = action('rename', 'e')
const ALL = [DEVICES, SHEET, RENAME]
afterEach(forgetChosenKeys)

describe('chosen keys', () => {
  it('replaces the usual keys of one action, and brings them back', () => {
    chooseKeys('rename', ['m'])
    expect(ALL.map((each) => keysOf(each, chosenKeys.get()))).toEqual([['g', 'd'], ['?'], ['m']])
    chooseKeys('rename', undefined)
    expect(keysOf(RENAME, chosenKeys.get())).toEqual(['e'])
  })

  it.each([
    ['the same keys', ['?'], SHEET],
    ['the first of two keys', ['g'], DEVICES],
    ['two keys that begin like another one', ['e', 'e'], RENAME],
  ])('refuses %s', (_, keys, other) => {
    expect(conflictOf(action('new', 'z'), keys, ALL, chosenKeys.get())).toBe(other)
  })

  it('refuses keys that move in every list', () => {
    expect(['j', 'k', 'x', 'X', '/', ' '].map((key) => conflictOf(RENAME, [key], ALL, {}))).toEqual(
      Array(6).fill('reserved'),
    )
  })

  it('frees the usual keys of an action that has other ones', () => {
    expect(conflictOf(SHEET, ['e'], ALL, { rename: ['m'] })).toBeUndefined()
    expect(conflictOf(SHEET, ['g', 'x'], ALL, {})).toBeUndefined()
  })
})

it('has words for every key of a device’s row', () => {
  expect(Object.keys(appMessages.deviceKeys)).toEqual(Object.keys(DEVICE_KEYS))
})

it('has words for every key of a running session', () => {
  expect(Object.keys(appMessages.sessionKeys)).toEqual(Object.keys(SESSION_KEYS))
})
