import { Filter } from '@bowline/contract/schemas/filter'
import { expect, it } from 'vitest'
import { deviceFilter } from './device-filter.ts'

const decoded = (words: string) =>
  Filter.parse(JSON.parse(Buffer.from(deviceFilter(words) ?? '', 'base64').toString('utf8')))

it('asks for devices of which any property contains the words', () => {
  const filter = decoded('  pi ')
  expect(filter.at(-1)).toEqual({ type: 'operator', params: { name: 'or' } })
  expect(filter[0]).toEqual({ type: 'property', params: { name: 'name', operator: 'contains', value: 'pi' } })
  expect(filter).toHaveLength(5)
})

it('carries words of any language', () => {
  expect(JSON.stringify(decoded('温室'))).toContain('温室')
})

it('is left out for no words', () => {
  expect(deviceFilter('   ')).toBeUndefined()
})
