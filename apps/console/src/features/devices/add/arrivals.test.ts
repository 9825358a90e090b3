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
  it('are devices that registered after the dialog opened, in the order they came', () => {
    const baseline = baselineOf([waiting])
    const first = withArrivals([], baseline, [next, waiting])
    expect(first).toEqual([next.uid])
    expect(withArrivals(first, baseline, [afterNext, next, waiting])).toEqual([next.uid, afterNext.uid])
    expect(withArrivals([], baseline, [afterNext, next, waiting])).toEqual([next.uid, afterNext.uid])
  })

  it('stay when they are accepted and leave the list', () => {
    const arrivals = [next.uid]
    expect(withArrivals(arrivals, baselineOf([waiting]), [waiting])).toBe(arrivals)
  })

  it('are not the devices that waited before', () => {
    expect(withArrivals([], baselineOf([waiting]), [waiting])).toEqual([])
  })

  it('are not older devices that only move up on the list', () => {
    expect(withArrivals([], baselineOf([waiting]), [waiting, early])).toEqual([])
  })

  it('are seen when nobody waited before', () => {
    expect(withArrivals([], baselineOf([]), [next])).toEqual([next.uid])
  })
})
