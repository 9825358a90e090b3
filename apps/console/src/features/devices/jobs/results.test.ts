import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { expect, it } from 'vitest'
import { recentJobs } from './queries.ts'
import { endsSince, partOf, resultOf } from './results.ts'

const job = (change: Partial<DeviceJob> = {}): DeviceJob => ({
  id: 'one',
  action: 'tag',
  tags: ['autumn'],
  state: 'running',
  total: 10_005,
  done: 4_200,
  failed: 10,
  failures: [],
  can_undo: false,
  can_retry: false,
  created_at: '2030-01-01T00:00:00.000Z',
  finished_at: null,
  ...change,
})

it('says how far a change is, and what it has come to', () => {
  expect(partOf(job())).toBe('4,210 of 10,005')
  expect(resultOf(job({ state: 'done', done: 9_755, failed: 250 }))).toBe('Tags added to 9,755 devices. 250 failed.')
  expect(resultOf(job({ state: 'stopped', done: 1, failed: 0 }))).toBe('Tags added to 1 device. Stopped.')
})

it('tells of a change that ends once, and of none that had ended before', () => {
  const old = job({ id: 'old', state: 'done' })
  const first = endsSince(new Set(), [job(), old])
  expect(first).toEqual({ running: new Set(['one']), ended: [] })
  const done = job({ state: 'done' })
  const second = endsSince(first.running, [done, old])
  expect(second).toEqual({ running: new Set(), ended: [done] })
  expect(endsSince(second.running, [done, old]).ended).toEqual([])
})

it('counts those as recent that run or ended within a day', () => {
  const now = Date.parse('2030-01-03T00:00:00.000Z')
  const jobs = [
    job({ id: 'runs' }),
    job({ id: 'late', finished_at: '2030-01-02T00:00:01.000Z' }),
    job({ id: 'early', finished_at: '2030-01-01T23:59:59.000Z' }),
  ]
  expect(recentJobs(jobs, now).map(({ id }) => id)).toEqual(['runs', 'late'])
})
