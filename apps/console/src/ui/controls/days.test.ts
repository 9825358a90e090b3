import { describe, expect, it } from 'vitest'
import { daysBefore, dayOf, presets, rangeText } from './days.ts'

describe('days', () => {
  it('count back over months, years and changes of the clocks', () => {
    expect([daysBefore('2026-03-01', 1), daysBefore('2026-01-01', 1), daysBefore('2026-11-30', 89)]).toEqual([
      '2026-02-28',
      '2025-12-31',
      '2026-09-02',
    ])
    expect(dayOf(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05')
  })

  it('are told as a range, or by the limit that there is', () => {
    // Thin spaces are around the dash.
    expect(rangeText({ from: '2026-11-20', to: '2026-11-25' })).toMatch(/^Nov 20\s–\s25, 2026$/)
    expect([rangeText({ from: '2026-11-20' }), rangeText({ to: '2026-11-20' }), rangeText({})]).toEqual([
      'since Nov 20, 2026',
      'until Nov 20, 2026',
      '',
    ])
  })

  it('of presets include today', () => {
    expect(presets('2026-11-30').map(({ days }) => days)).toEqual([
      { from: '2026-11-30', to: '2026-11-30' },
      { from: '2026-11-29', to: '2026-11-29' },
      { from: '2026-11-24', to: '2026-11-30' },
      { from: '2026-11-01', to: '2026-11-30' },
      { from: '2026-09-02', to: '2026-11-30' },
    ])
  })
})
