import { Filter } from '@bowline/contract/schemas/filter'
import { expect, it } from 'vitest'
import { choicesOfFilter, deviceFilter } from './device-filter.ts'

const decode = (filter = '') => Filter.parse(JSON.parse(Buffer.from(filter, 'base64').toString('utf8')))
const condition = (name: string, operator: string, value: unknown) => ({
  type: 'property',
  params: { name, operator, value },
})
const operator = (name: string) => ({ type: 'operator', params: { name } })

it('requires every word of a search', () => {
  expect(decode(deviceFilter({ words: '  pi  berlin ' }))).toEqual([
    condition('words', 'contains', 'pi'),
    condition('words', 'contains', 'berlin'),
    operator('and'),
  ])
})

it('takes no more words than a filter may have conditions', () => {
  const many = Array.from({ length: 40 }, (_, i) => `w${i}`).join(' ')
  expect(decode(deviceFilter({ words: many })).length).toBeLessThan(20)
})

it('encodes words of any language', () => {
  expect(JSON.stringify(decode(deviceFilter({ words: '温室' })))).toContain('温室')
})

it('omits the filter without words', () => {
  expect(deviceFilter({ words: '   ', tags: [] })).toBeUndefined()
})

it('takes any value of one property and requires every property', () => {
  expect(decode(deviceFilter({ words: '', tags: ['lab', 'attic'], archs: ['arm64'] }))).toEqual([
    condition('tags', 'eq', 'lab'),
    condition('tags', 'eq', 'attic'),
    operator('or'),
    condition('info.arch', 'eq', 'arm64'),
    operator('or'),
  ])
})

it('requires presence, favourites and day besides the words', () => {
  const choices = { words: 'pi', presence: 'offline', favorites: true, seenSince: '2026-11-20' } as const
  const names = decode(deviceFilter(choices)).map(({ params: { name } }) => name)
  expect(names).toEqual(['words', 'and', 'online', 'favorite', 'last_seen', 'and'])
})

it('requires a changed host key besides the words', () => {
  expect(decode(deviceFilter({ words: 'pi', hostKeyChanged: true }))).toEqual([
    condition('words', 'contains', 'pi'),
    operator('and'),
    condition('host_key_changed', 'bool', true),
    operator('and'),
  ])
})

it('requires a trouble', () => {
  expect(decode(deviceFilter({ words: '', trouble: 'disk' }))).toEqual([
    condition('trouble', 'eq', 'disk'),
    operator('and'),
  ])
})

it('requires an incident besides the words', () => {
  expect(decode(deviceFilter({ words: '', incident: '42' }))).toEqual([
    condition('incident', 'eq', '42'),
    operator('and'),
  ])
})

it('reads the choices of a filter that it has built, and of no other', () => {
  const choices = { words: '温室 pi', tags: ['lab', 'attic'], archs: ['arm64'], presence: 'offline' } as const
  expect(choicesOfFilter(deviceFilter(choices) ?? '')).toEqual(choices)
  expect(choicesOfFilter('')).toEqual({ words: '' })
  for (const other of [[condition('name', 'eq', 'pi')], [condition('uid', 'eq', 'lab'), operator('and')]])
    expect(choicesOfFilter(btoa(JSON.stringify(other)))).toBeUndefined()
  expect(choicesOfFilter('no filter')).toBeUndefined()
})

it('reads words with keywords back from a filter', () => {
  const choices = { words: 'tag:kiosk -arch:arm64 -os:alpine -attic pi', tags: ['lab'] } as const
  expect(choicesOfFilter(deviceFilter(choices) ?? '')).toEqual(choices)
  expect(choicesOfFilter(deviceFilter({ words: 'is:online' }) ?? '')).toEqual({ words: '', presence: 'online' })
})

it('asks for times that stay the same for some minutes', () => {
  const now = Date.parse('2026-11-26T12:03:00Z')
  const filter = deviceFilter({ words: '', seen: '-7d' }, now)
  expect(decode(filter)[0]).toEqual(condition('last_seen', 'lt', '2026-11-19T12:00:00.000Z'))
  expect(deviceFilter({ words: '', seen: '-7d' }, now + 60_000)).toBe(filter)
})
