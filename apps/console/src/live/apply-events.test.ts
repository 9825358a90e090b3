import type { Device } from '@bowline/contract/schemas/device'
import type { Session } from '@bowline/contract/schemas/session'
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { OWNER, makeDevice, makeSession } from '../testing/fixtures.ts'
import {
  type DeviceListSearch,
  type ListPage,
  LIVE_KEYS,
  applyEvents,
  keys,
  placeDevice,
  placeSession,
  withItemAt,
  withoutItem,
} from './apply-events.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const ACCEPTED: DeviceListSearch = { status: 'accepted', page: 1, per_page: 3, sort_by: 'last_seen', order_by: 'desc' }
const PENDING: DeviceListSearch = { ...ACCEPTED, status: 'pending', sort_by: 'created_at' }
const page = <T>(items: T[], total = items.length): ListPage<T> => ({ items, total, answeredAt: NOW })
const names = (list: ListPage<Device>) => list.items.map(({ name }) => name)
const justNow = { status_updated_at: new Date(NOW + 500).toISOString() }

const a = makeDevice(0, NOW, { name: 'a' })
const b = makeDevice(1, NOW, { name: 'b' })
const c = makeDevice(2, NOW, { name: 'c' })
const d = makeDevice(3, NOW, { name: 'd' })

describe('a list of devices', () => {
  it('updates a device row in place', () => {
    const placed = placeDevice(page([a, b, c]), ACCEPTED, { ...b, online: false, name: 'b2' })
    expect(names(placed.page)).toEqual(['a', 'b2', 'c'])
    expect(placed).toMatchObject({ stale: false, page: { total: 3 } })
  })

  it('removes a row whose status changed and refetches the list', () => {
    const placed = placeDevice(page([a, b, c], 40), ACCEPTED, { ...b, status: 'rejected', ...justNow })
    expect(names(placed.page)).toEqual(['a', 'c'])
    expect(placed).toMatchObject({ stale: true, page: { total: 39 } })
  })

  it('does not refetch because a device of another page went online or offline', () => {
    const list = page([a, b, c], 10_000)
    expect(placeDevice(list, ACCEPTED, { ...d, online: true })).toEqual({ page: list, stale: false })
  })

  it.each([b, d])('refetches a list of online devices when device $name comes or goes', (device) => {
    const search = { ...ACCEPTED, filter: 'W10=', byPresence: true }
    expect(placeDevice(page([a, b, c]), search, { ...device, online: false }).stale).toBe(true)
    expect(placeDevice(page([a, b, c]), search, { ...d, status: 'pending' }).stale).toBe(false)
  })

  it('adds a device that just got the list’s status on top of its first page', () => {
    const placed = placeDevice(page([a, b, c]), PENDING, { ...d, status: 'pending', ...justNow })
    expect(names(placed.page)).toEqual(['d', 'a', 'b'])
    expect(placed).toMatchObject({ stale: true, page: { total: 4 } })
  })

  it.each([
    ['a later page', { ...PENDING, page: 2 }],
    ['an order by name', { ...PENDING, sort_by: 'name' }],
    ['the oldest first', { ...PENDING, order_by: 'asc' }],
    ['what a filter lets through', { ...PENDING, filter: 'W10=' }],
  ])('refetches a device list instead of patching it when it shows %s', (_, search) => {
    const placed = placeDevice(page([a, b, c]), search, { ...d, status: 'pending', ...justNow })
    expect(names(placed.page)).toEqual(['a', 'b', 'c'])
    expect(placed.stale).toBe(true)
  })

  it('refetches when a device of another page may have left the list', () => {
    const placed = placeDevice(page([a, b, c], 40), ACCEPTED, { ...d, status: 'rejected', ...justNow })
    expect(placed).toMatchObject({ stale: true, page: { total: 40 } })
  })

  it('restores a removed row at its old position, once', () => {
    const list = page([a, b, c], 40)
    const without = withoutItem(list, b.uid)
    expect(without.total).toBe(39)
    expect(withItemAt(without, b, 1)).toEqual(list)
    expect(withItemAt(list, b, 1)).toBe(list)
    expect(withoutItem(list, d.uid)).toBe(list)
  })
})

describe('the list of sessions', () => {
  const first = makeSession(0, NOW, a)
  const second = makeSession(1, NOW, b)
  const search = { page: 1, perPage: 2 }

  it('adds a new session on top of the first page', () => {
    const next = makeSession(2, NOW, c)
    const placed = placeSession(page([first, second], 9), search, next, true)
    expect(placed.page).toMatchObject({ items: [next, first], total: 10 })
  })

  it('leaves it to the server whether a new session passes a filter', () => {
    const list = page([first])
    const placed = placeSession(list, { ...search, filter: 'W10=' }, makeSession(2, NOW, c), true)
    expect(placed).toEqual({ page: list, stale: true })
  })

  it('updates a session in place when it ends', () => {
    const ended: Session = { ...second, active: false }
    expect(placeSession(page([first, second]), search, ended, false).page.items).toEqual([first, ended])
  })

  it('refetches when a later page moves down', () => {
    const list = page([first, second])
    expect(placeSession(list, { page: 2, perPage: 2 }, makeSession(2, NOW, c), true)).toEqual({
      page: list,
      stale: true,
    })
  })
})

describe('a batch of events', () => {
  function setUp() {
    const queryClient = new QueryClient()
    queryClient.setQueryData(keys.deviceList(ACCEPTED), page([a, b]))
    queryClient.setQueryData(keys.deviceList(PENDING), page([makeDevice(7, NOW, { name: 'p', status: 'pending' })]))
    queryClient.setQueryData(keys.device(a.uid), a)
    const list = (search: DeviceListSearch) => names(queryClient.getQueryData(keys.deviceList(search)) ?? page([]))
    return { queryClient, list }
  }

  it('moves an accepted device from one list to the other and onto its own page', () => {
    const { queryClient, list } = setUp()
    const accepted = makeDevice(7, NOW, { name: 'p', status: 'accepted', ...justNow })
    const stale = applyEvents(queryClient, [{ type: 'device.changed', device: accepted }])
    expect([list(ACCEPTED), list(PENDING)]).toEqual([['p', 'a', 'b'], []])
    expect(stale).toContainEqual(keys.stats)
    applyEvents(queryClient, [{ type: 'device.changed', device: { ...a, name: 'a2' } }])
    expect(queryClient.getQueryData(keys.device(a.uid))).toMatchObject({ name: 'a2' })
  })

  it('does not cache devices that nobody has asked for', () => {
    const { queryClient } = setUp()
    applyEvents(queryClient, [{ type: 'device.changed', device: d }])
    expect(queryClient.getQueryData(keys.device(d.uid))).toBeUndefined()
  })

  it('removes a device from every list and refetches its page', () => {
    const { queryClient, list } = setUp()
    const stale = applyEvents(queryClient, [
      { type: 'device.removed', uid: a.uid },
      { type: 'device.removed', uid: d.uid },
    ])
    expect(list(ACCEPTED)).toEqual(['b'])
    expect(stale).toContainEqual(keys.device(a.uid))
    // Nobody has asked for it.
    expect(stale).not.toContainEqual(keys.device(d.uid))
  })

  it('refetches what depends on rules, members and devices', () => {
    const { queryClient } = setUp()
    const policy = applyEvents(queryClient, [{ type: 'policy.changed' }])
    expect(policy).toEqual([keys.publicKeys, keys.firewall, keys.namespaces, keys.billing, keys.stats])
    expect(applyEvents(queryClient, [{ type: 'tunnels.used' }])).toEqual([keys.tunnelRequests])
    expect(applyEvents(queryClient, [{ type: 'device-jobs.changed', user: OWNER }])).toEqual([keys.deviceJobs])
    const member = applyEvents(queryClient, [{ type: 'member.removed', id: OWNER }])
    expect(member).toContainEqual(keys.namespaces)
    const device = applyEvents(queryClient, [{ type: 'device.changed', device: a }])
    expect(device).toEqual(expect.arrayContaining([keys.tags, keys.containers]))
  })

  it('refetches everything and drops the batch after a reset', () => {
    const { queryClient, list } = setUp()
    const stale = applyEvents(queryClient, [{ type: 'device.removed', uid: a.uid }, { type: 'reset' }])
    expect(stale).toEqual([...LIVE_KEYS])
    expect(list(ACCEPTED)).toEqual(['a', 'b'])
  })
})
