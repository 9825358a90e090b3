import { expect, it } from 'vitest'
import { DevicesSearch, deviceListOf } from './search.ts'

it.each([
  [{}, { status: 'accepted', page: 1, sort: 'last_seen', order: 'desc', words: '', tag: '' }],
  [{ status: 'pending' }, { status: 'pending', page: 1, sort: 'created_at', order: 'desc', words: '', tag: '' }],
  [{ q: ' pi ' }, { status: 'accepted', page: 1, sort: 'last_seen', order: 'desc', words: 'pi', tag: '' }],
  [{ sort: 'name' }, { status: 'accepted', page: 1, sort: 'name', order: 'asc', words: '', tag: '' }],
  [
    { sort: 'name', order: 'desc', page: '3' },
    { status: 'accepted', page: 3, sort: 'name', order: 'desc', words: '', tag: '' },
  ],
  [
    { status: 'nonsense', page: '-4', sort: 'x', order: 'y' },
    { status: 'accepted', page: 1, sort: 'last_seen', order: 'desc', words: '', tag: '' },
  ],
])('parses the URL parameters %j as %j', (address, list) => {
  expect(deviceListOf(DevicesSearch.parse(address))).toEqual(list)
})
