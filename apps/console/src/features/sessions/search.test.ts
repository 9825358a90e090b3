import { Filter } from '@bowline/contract/schemas/filter'
import { describe, expect, it } from 'vitest'
import { UserId } from '@bowline/contract/schemas/common'
import type { SessionGroup } from '@bowline/contract/schemas/session'
import {
  SAVED,
  SessionsSearch,
  groupedBy,
  closedGroup,
  isFiltered,
  isNarrowedTo,
  narrowedTo,
  openedGroup,
  sessionFilter,
  sessionGroupsOf,
  sessionListOf,
} from './search.ts'

const KEY = `SHA256:${'a'.repeat(43)}`
const FORWARDS = ['direct-tcpip', 'direct-streamlocal', 'tcpip-forward', 'streamlocal-forward']

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
    [{ q: 'ro' }, ['words contains ro', 'device_name contains ro', 'or']],
    [
      { q: 'root@lab', recorded: 'yes' },
      [
        'words contains root',
        'device_name contains root',
        'or',
        'words contains lab',
        'device_name contains lab',
        'or',
        'recorded bool true',
        'and',
      ],
    ],
    [{ q: '@' }, ['words contains @', 'device_name contains @', 'or']],
    [{ method: 'publickey', key: KEY }, ['method eq publickey', `fingerprint eq ${KEY}`, 'and']],
    [{ method: 'keyboard-interactive' }, ['method eq keyboard-interactive', 'type ne web', 'and']],
    [
      { method: 'password' },
      ['method eq password', 'type eq web', 'or', 'method eq password', 'method eq keyboard-interactive', 'or'],
    ],
    [
      { q: 'ip:10.0. root' },
      ['ip_address contains 10.0.', 'and', 'words contains root', 'device_name contains root', 'or'],
    ],
    [{ ip: '2001:db8::7', client: 'web' }, ['ip_address eq 2001:db8::7', 'type eq web', 'and']],
    [{ ip: '10.0.0', client: 'telnet' }, []],
    [{ did: 'forward' }, [...FORWARDS.map((type) => `event_types eq ${type}`), 'or']],
    [{ key: 'MD5:00', method: 'telepathy', did: 'sleep' }, []],
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

  it('keeps order and rows when a preset narrows the list', () => {
    const search = SessionsSearch.parse({ sort: 'person', size: 50, q: 'x', page: 4, method: 'password' })
    const active = narrowedTo(search, { state: 'active' })
    expect(active).toMatchObject({ sort: 'person', size: 50, state: 'active', page: 1 })
    expect(isNarrowedTo(active, { state: 'active' })).toBe(true)
    expect(isNarrowedTo(search, {})).toBe(false)
    expect(sessionListOf(active)).toMatchObject({ sort: 'person', order: 'asc', perPage: 50 })
  })

  it('groups with the same filters, in orders of the groups alone', () => {
    const search = SessionsSearch.parse({ group: 'device', q: 'ro', sort: 'person', rank: 'active', size: 50 })
    expect(sessionGroupsOf(search)).toEqual({
      by: 'device',
      page: 1,
      perPage: 50,
      filter: sessionFilter({ q: 'ro' }),
      sort: 'active',
      order: 'desc',
    })
    expect(sessionGroupsOf(groupedBy(search, 'person'))).toMatchObject({ by: 'person', sort: 'last_started_at' })
    expect(sessionGroupsOf(groupedBy(search, undefined))).toBeUndefined()
    expect(sessionGroupsOf(SessionsSearch.parse({ group: 'colour' }))).toBeUndefined()
    expect(SAVED).toEqual(expect.arrayContaining(['group', 'rank']))
  })

  it('opens a group as its sessions: what else narrows the list stays', () => {
    const search = SessionsSearch.parse({ group: 'person', state: 'active', rank: 'sessions', order: 'asc', page: 3 })
    const counts = { sessions: 1, active: 1, last_started_at: '2026-11-20T00:00:00Z' }
    const id = UserId.parse('11111111-1111-4111-8111-111111111111')
    const open = (group: Pick<SessionGroup, 'device' | 'person'>) =>
      sessionListOf(openedGroup(search, { ...group, ...counts }))
    expect(open({ device: null, person: { id, name: 'ada' } })).toMatchObject({
      page: 1,
      filter: sessionFilter({ state: 'active', person: id }),
      order: 'desc',
    })
    expect(open({ device: null, person: null })).toMatchObject({
      filter: sessionFilter({ state: 'active', person: 'unknown' }),
    })
    expect(conditions({ person: 'unknown' })).toEqual(['person_known bool false', 'and'])
  })

  it('returns from the sessions of a group to the groups, with their order and the other filters', () => {
    const search = SessionsSearch.parse({ group: 'person', rank: 'active', state: 'active', page: 2 })
    const opened = openedGroup(search, {
      device: null,
      person: null,
      sessions: 1,
      active: 1,
      last_started_at: '2026-11-20T00:00:00Z',
    })
    expect(opened).toMatchObject({ of: 'person', person: 'unknown', page: 1 })
    expect(closedGroup(opened, 'person')).toEqual({ group: 'person', rank: 'active', state: 'active', page: 1 })
    expect(narrowedTo(opened, {}).of).toBeUndefined()
  })

  it('does not count the page as a filter', () => {
    expect(isFiltered(SessionsSearch.parse({ page: '3' }))).toBe(false)
  })
})
