import { describe, expect, it } from 'vitest'
import { makeDevice } from '../../../testing/fixtures.ts'
import { baselineOf, withArrivals } from './arrivals.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const pending = (index: number, created_at: string) => makeDevice(index, NOW, { status: 'pending', created_at })
const early = pending(1, '2026-11-20T09:00:00Z')
const waiting = pending(2, '2026-11-20T10:00:00Z')
const next = pending(3, '2026-11-20T12:00:01Z')
const afterNext = pending(4, '2026-11-20T12:00:02Z')

describe('arrivals', () => {
  it('lists devices that registered after the dialog opened, in registration order', () => {
    const baseline = baselineOf([waiting])
    const first = withArrivals([], baseline, [next, waiting])
    expect(first).toEqual([next.uid])
    expect(withArrivals(first, baseline, [afterNext, next, waiting])).toEqual([next.uid, afterNext.uid])
    expect(withArrivals([], baseline, [afterNext, next, waiting])).toEqual([next.uid, afterNext.uid])
  })

  it('keeps arrivals that were accepted and left the pending list', () => {
    const arrivals = [next.uid]
    expect(withArrivals(arrivals, baselineOf([waiting]), [waiting])).toBe(arrivals)
  })

  it('leaves out devices that were pending before', () => {
    expect(withArrivals([], baselineOf([waiting]), [waiting])).toEqual([])
  })

  it('leaves out older devices that only move up the list', () => {
    expect(withArrivals([], baselineOf([waiting]), [waiting, early])).toEqual([])
  })

  it('sees the first arrival when nothing was pending before', () => {
    expect(withArrivals([], baselineOf([]), [next])).toEqual([next.uid])
  })
})
