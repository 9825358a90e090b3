import { Filter } from '@bowline/contract/schemas/filter'
import { expect, it } from 'vitest'
import { deviceFilter } from './device-filter.ts'

const decode = (filter = '') => Filter.parse(JSON.parse(Buffer.from(filter, 'base64').toString('utf8')))
const decoded = (words: string) => decode(deviceFilter({ words }))

it('matches devices of which any property contains the words', () => {
  const filter = decoded('  pi ')
  expect(filter.at(-1)).toEqual({ type: 'operator', params: { name: 'or' } })
  expect(filter[0]).toEqual({ type: 'property', params: { name: 'name', operator: 'contains', value: 'pi' } })
  expect(filter).toHaveLength(5)
})

it('encodes words of any language', () => {
  expect(JSON.stringify(decoded('温室'))).toContain('温室')
})

it('omits the filter without words', () => {
  expect(deviceFilter({ words: '   ' })).toBeUndefined()
})

it('requires tag, presence and day besides the words', () => {
  const filter = decode(deviceFilter({ words: 'pi', tag: 'lab', presence: 'offline', seenSince: '2026-11-20' }))
  const names = filter.map(({ params: { name } }) => name)
  expect(names.slice(-5)).toEqual(['or', 'tags', 'online', 'last_seen', 'and'])
  expect(filter.find(({ params }) => params.name === 'online')?.params).toMatchObject({
    operator: 'bool',
    value: false,
  })
})
