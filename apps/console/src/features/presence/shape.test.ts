import type { DevicePresence } from '@bowline/contract/operations/fleet/presence'
import { describe, expect, it } from 'vitest'
import { absences, areas, pieces, topOf } from './shape.ts'

const at = (hour: number): string => new Date(Date.UTC(2026, 10, 1, hour)).toISOString()
const bucket = (online: number | null) => ({ at: at(0), online, lowest: online })

describe('areas of a chart', () => {
  it('draws steps from the left edge to the right one', () => {
    expect(areas([bucket(10), bucket(5)], ({ online }) => online, 10)).toBe('M0 100V0H500V50H1000V100Z')
  })

  it('leaves a gap where nothing is known', () => {
    const path = areas([bucket(10), bucket(null), bucket(0), bucket(10)], ({ online }) => online, 10)
    expect(path).toBe('M0 100V0H250V100ZM500 100V100H750V0H1000V100Z')
  })

  it('draws nothing without known buckets, and none of no devices as an empty chart', () => {
    expect(areas([bucket(null)], ({ online }) => online, 10)).toBe('')
    expect(areas([bucket(0)], ({ online }) => online, 0)).toBe('M0 100V100H1000V100Z')
  })
})

describe('the upper edge of a chart', () => {
  it.each([
    [0, 10_005, 1],
    [4.5, 10_005, 5],
    [7, 10_005, 8],
    [61, 10_005, 80],
    [3_001, 10_005, 4_000],
    [9_700, 10_005, 10_000],
    [6.5, 7, 7],
    [3, 2, 3],
    [0, 0, 1],
  ])('is for %d online of %d at %d', (highest, devices, top) => {
    expect(topOf(highest, devices)).toBe(top)
  })
})

const span = (from: number, to: number | null, cause = '') => ({
  from: at(from),
  to: to === null ? null : at(to),
  breaks: 0,
  cause,
})
const presence = (...spans: DevicePresence['spans']): DevicePresence => ({
  from: at(0),
  to: at(10),
  known_from: at(0),
  online_seconds: 0,
  share: 0,
  spans,
})

describe('the strip of a device', () => {
  it('cuts spans to the period, and ends at its right edge while the device is online', () => {
    const placed = pieces(presence(span(-9, -6), span(-5, 2), span(5, null))).map(({ from, width }) => [from, width])
    expect(placed).toEqual([
      [0, 200],
      [500, 500],
    ])
  })

  it('lists the absences, the newest first, the last one open while the device is away', () => {
    expect(absences(presence(span(0, 2, 'network:keepalive'), span(5, 6, 'agent:stopped')))).toEqual([
      { from: at(6), to: null, cause: 'agent:stopped' },
      { from: at(2), to: at(5), cause: 'network:keepalive' },
    ])
    expect(absences(presence(span(0, null)))).toEqual([])
  })
})
