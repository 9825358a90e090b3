import { Filter } from '@bowline/contract/schemas/filter'
import { describe, expect, it } from 'vitest'
import { SessionsSearch, isFiltered, sessionFilter } from './search.ts'

const conditions = (address: object) => {
  const filter = sessionFilter(SessionsSearch.parse(address))
  if (filter === undefined) return []
  return Filter.parse(JSON.parse(Buffer.from(filter, 'base64').toString('utf8'))).map((item) =>
    item.type === 'operator' ? item.params.name : `${item.params.name} ${item.params.operator} ${item.params.value}`,
  )
}

describe('the address of the sessions', () => {
  it.each([
    [{}, []],
    [{ q: 'ro' }, ['username contains ro', 'ip_address contains ro', 'or']],
    [{ state: 'active', recorded: 'no' }, ['active bool true', 'recorded bool false', 'and']],
    [{ state: 'refused' }, ['closed bool true', 'authenticated bool false', 'and']],
    [{ device: 'f'.repeat(64) }, [`device_uid eq ${'f'.repeat(64)}`, 'and']],
    [{ state: 'nonsense', device: 'x', from: '2026-02-31', to: 'tomorrow' }, []],
  ])('turns the URL %j into the filter %j', (address, expected) => {
    expect(conditions(address)).toEqual(expected)
  })

  it('includes the whole of both days, in this browser’s zone', () => {
    const [after, before] = conditions({ from: '2026-11-20', to: '2026-11-20' })
    const start = new Date('2026-11-20T00:00:00').getTime()
    expect(after).toBe(`started_at gt ${new Date(start - 1).toISOString()}`)
    expect(before).toBe(`started_at lt ${new Date(start + 86_400_000).toISOString()}`)
  })

  it('does not count the page as a filter', () => {
    expect(isFiltered(SessionsSearch.parse({ page: '3' }))).toBe(false)
  })
})
