import { describe, expect, it } from 'vitest'
import type { Entry, EntryKind } from './sftp/entries.ts'
import { type Choice, shownEntries } from './sorting.ts'

const entry = (name: string, kind: EntryKind = 'file', size = 0): Entry => ({
  name,
  path: `/${name}`,
  kind,
  size,
  mode: undefined,
  modifiedMs: undefined,
  owner: '',
})

const FOLDER = [
  entry('b10'),
  entry('b2', 'file', 7),
  entry('.profile'),
  entry('sub', 'folder', 4096),
  entry('A', 'link'),
]
const names = (choice: Partial<Choice>): string[] =>
  shownEntries(FOLDER, { words: '', showsHidden: false, sort: { by: 'name', order: 'asc' }, ...choice }).map(
    ({ name }) => name,
  )

describe('the entries of a folder', () => {
  it('have folders first in every order, and names as people count', () => {
    expect(names({})).toEqual(['sub', 'A', 'b2', 'b10'])
    expect(names({ sort: { by: 'name', order: 'desc' } })).toEqual(['sub', 'b10', 'b2', 'A'])
    expect(names({ sort: { by: 'size', order: 'desc' } })).toEqual(['sub', 'b2', 'A', 'b10'])
  })

  it('are without hidden ones until they are asked for, and match words in any case', () => {
    expect(names({ showsHidden: true })).toContain('.profile')
    expect(names({ words: 'B' })).toEqual(['sub', 'b2', 'b10'])
    expect(names({ words: 'a' })).toEqual(['A'])
  })
})
