import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search-params.ts'

it.each([
  ['', {}],
  ['?q=pi&page=2', { q: 'pi', page: '2' }],
  ['?tag=a%2Cb&tag=c', { tag: ['a,b', 'c'] }],
])('reads %j as %j and writes it again', (text, search) => {
  expect(parseSearch(text)).toEqual(search)
  expect(stringifySearch(search)).toBe(text)
})

it('leaves out what is undefined and writes a list of one as one', () => {
  expect(stringifySearch({ q: undefined, tag: ['lab'], size: 100 })).toBe('?tag=lab&size=100')
})
