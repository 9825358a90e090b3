import { expect, it } from 'vitest'
import { DevicesSearch, CLEARED, deviceListOf } from './search.ts'

const FIRST = { status: 'accepted', page: 1, perPage: 25, sort: 'last_seen', order: 'desc', words: '' }

it.each([
  [{}, FIRST],
  [{ status: 'pending' }, { ...FIRST, status: 'pending', sort: 'created_at' }],
  [{ q: ' pi ' }, { ...FIRST, words: 'pi' }],
  // A keyword waits for its value.
  [{ q: 'pi -tag:' }, { ...FIRST, words: 'pi' }],
  [{ q: 'os:"' }, FIRST],
  [{ q: '02:00:' }, { ...FIRST, words: '02:00:' }],
  [{ sort: 'name' }, { ...FIRST, sort: 'name', order: 'asc' }],
  [
    { sort: 'name', order: 'desc', page: '3' },
    { ...FIRST, sort: 'name', page: 3 },
  ],
  [{ status: 'nonsense', page: '-4', sort: 'x', order: 'y', size: 7 }, FIRST],
  [
    { tag: 'lab', size: '100' },
    { ...FIRST, perPage: 100, tags: ['lab'] },
  ],
  [
    { tag: ['lab', 'attic'], arch: ['x64'] },
    { ...FIRST, tags: ['lab', 'attic'], archs: ['x64'] },
  ],
  [{ hostKey: 'changed' }, { ...FIRST, hostKeyChanged: true }],
  [{ hostKey: 'other' }, FIRST],
  [{ trouble: 'disk' }, { ...FIRST, trouble: 'disk' }],
  [{ trouble: 'boredom' }, FIRST],
  [{ incident: 42 }, { ...FIRST, incident: '42' }],
  [{ incident: 'first' }, FIRST],
  [
    { status: 'pending', presence: 'online' },
    { ...FIRST, status: 'pending', sort: 'created_at' },
  ],
])('parses the URL parameters %j as %j', (address, list) => {
  expect(deviceListOf(DevicesSearch.parse(address))).toEqual(list)
})

it('clears what narrows the list and keeps its tab, order and columns', () => {
  const search = DevicesSearch.parse({
    status: 'pending',
    q: 'pi',
    tag: 'lab',
    hostKey: 'changed',
    sort: 'name',
    cols: ['name'],
    page: 4,
  })
  expect(JSON.parse(JSON.stringify({ ...search, ...CLEARED, page: 1 }))).toEqual({
    status: 'pending',
    sort: 'name',
    cols: ['name'],
    page: 1,
  })
})
