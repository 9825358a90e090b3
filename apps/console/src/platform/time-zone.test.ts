import { expect, it } from 'vitest'
import { allZones, knownZone, momentOf, shiftDay, wallTime } from './time-zone.ts'

it.each([
  ['UTC', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00'],
  ['Asia/Tokyo', '2026-11-20T16:30:05.000Z', '2026-11-21T01:30:05'],
  ['America/Sao_Paulo', '2026-01-01T02:00:00.000Z', '2025-12-31T23:00:00'],
  ['Europe/Berlin', '2026-07-01T00:00:00.000Z', '2026-07-01T02:00:00'],
  ['Asia/Kathmandu', '2026-07-01T00:00:00.000Z', '2026-07-01T05:45:00'],
])('in %s clocks show at %s the time %s, and back', (zone, moment, wall) => {
  expect(wallTime(Date.parse(moment), zone)).toBe(wall)
  expect(new Date(momentOf(wall, zone)).toISOString()).toBe(moment)
})

it('takes the earlier of two moments that clocks show alike', () => {
  expect(new Date(momentOf('2026-10-25T02:30', 'Europe/Berlin')).toISOString()).toBe('2026-10-25T00:30:00.000Z')
})

it.each([
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['Africa/Cairo', '2026-04-24T00:00', '2026-04-23T22:00:00.000Z'],
  ['America/Asuncion', '2023-10-01T00:00', '2023-10-01T04:00:00.000Z'],
])('takes for a time that clocks in %s skip, %s, the moment %s', (zone, wall, moment) => {
  expect(new Date(momentOf(wall, zone)).toISOString()).toBe(moment)
})

it('agrees with the browser where no zone is chosen', () => {
  const at = new Date(2026, 9, 25, 1, 2, 3)
  expect(wallTime(at.getTime(), undefined)).toBe('2026-10-25T01:02:03')
  expect(momentOf('2026-10-25T01:02:03', undefined)).toBe(at.getTime())
  expect(momentOf('soon', 'UTC')).toBeNaN()
})

it('knows zones, and ignores a name that is none', () => {
  expect(allZones().slice(0, 1)).toEqual(['UTC'])
  expect(allZones()).toContain('Europe/Berlin')
  expect(new Set(allZones()).size).toBe(allZones().length)
  expect([
    knownZone('UTC'),
    knownZone('Europe/Berlin'),
    knownZone('Moon/Base'),
    knownZone(''),
    knownZone(undefined),
  ]).toEqual(['UTC', 'Europe/Berlin', undefined, undefined, undefined])
})

it('shifts days over the ends of months and years', () => {
  expect([shiftDay('2026-03-01', -1), shiftDay('2026-12-31', 1), shiftDay('2028-02-28', 1)]).toEqual([
    '2026-02-28',
    '2027-01-01',
    '2028-02-29',
  ])
})
