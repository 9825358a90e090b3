import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SNIPPET, choices, matching, openSnippets } from './snippets.ts'

const stored = new Map<string, string>()
beforeEach(() => {
  stored.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
})
afterEach(() => void vi.unstubAllGlobals())

const snippet = (id: string, name: string, text = 'uptime') => ({ id, name, text, runs: true })

it('keeps the snippets of each person, by name', () => {
  const mine = openSnippets('me')
  mine.put(snippet('1', 'Zebra'))
  mine.put(snippet('2', 'apple'))
  mine.put(snippet('1', 'Banana'))
  expect(
    openSnippets('me')
      .list.get()
      .map(({ name }) => name),
  ).toEqual(['apple', 'Banana'])
  expect(openSnippets('you').list.get()).toEqual([])
  mine.remove('2')
  expect(openSnippets('me').list.get()).toHaveLength(1)
})

it('starts empty where what is stored makes no sense', () => {
  for (const text of ['{', '[{"id":1}]', '{"a":1}']) {
    stored.set('bowline.snippets.me', text)
    expect(openSnippets('me').list.get()).toEqual([])
  }
})

it('takes no more than a person can look through', () => {
  const mine = openSnippets('me')
  for (let count = 0; count < SNIPPET.count; count += 1) expect(mine.put(snippet(`${count}`, `n${count}`))).toBe(true)
  expect(mine.put(snippet('one more', 'x'))).toBe(false)
  expect(mine.put(snippet('0', 'changed'))).toBe(true)
})

it('finds snippets by all words of the name or the text', () => {
  const list = [snippet('1', 'Disk space', 'df -h'), snippet('2', 'Space heater', 'uptime')]
  expect(matching(list, 'SPACE').map(({ id }) => id)).toEqual(['1', '2'])
  expect(matching(list, 'space df').map(({ id }) => id)).toEqual(['1'])
  expect(matching(list, '')).toHaveLength(2)
})

describe('beside the snippets of a person', () => {
  const author = { id: null, name: 'ada' }
  const at = '2026-01-15T09:30:00Z'
  const shared = (name: string, ...tags: string[]) => {
    return {
      id: name,
      name,
      text: 'uptime',
      tags,
      created_at: at,
      created_by: author,
      changed_at: at,
      changed_by: author,
    }
  }
  const all = [shared('cellar', 'lab'), shared('Apples'), shared('kiosk', 'kiosk', 'lobby')]

  it('are those that the namespace shares, by name, which never run at once', () => {
    expect(choices([snippet('1', 'banana')], all, ['lab'])).toEqual([
      { id: 'Apples', name: 'Apples', text: 'uptime', runs: false, sharedBy: 'ada' },
      snippet('1', 'banana'),
      { id: 'cellar', name: 'cellar', text: 'uptime', runs: false, sharedBy: 'ada' },
    ])
  })

  it.each([
    { tags: [], names: ['Apples'] },
    { tags: ['lobby', 'garden'], names: ['Apples', 'kiosk'] },
  ])('are those with no tags, and those for the device ($tags)', ({ tags, names }) => {
    expect(choices([], all, tags).map(({ name }) => name)).toEqual(names)
  })
})
