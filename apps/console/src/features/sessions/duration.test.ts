import { expect, it } from 'vitest'
import { durationOf, recordedTimeOf } from './duration.ts'

const at = (second: number): string => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString()
const closed = { at: at(300), by: 'user', reason: 'exit', message: '' }
const session = { started_at: at(0), last_seen: at(60), active: false, closed: null }

it('counts a session from its start to its end, or to now', () => {
  expect(durationOf({ ...session, closed }, Date.parse(at(900)))).toBe(300_000)
  expect(durationOf({ ...session, active: true }, Date.parse(at(900)))).toBe(900_000)
  expect(durationOf(session, Date.parse(at(900)))).toBe(60_000)
})

it('counts the silence after the last output of a recording', () => {
  const summary = { seconds: 0, idle_seconds: 0, commands: 0, failed_commands: null, programs: [], sha256: '' }
  const recording = { started_at: at(0), ended_at: at(300), state: 'complete' as const, summary }
  expect(recordedTimeOf(recording)).toEqual({ ms: 300_000, idlePercent: 100 })
  const busy = { ...summary, seconds: 299, idle_seconds: 75 }
  expect(recordedTimeOf({ ...recording, summary: busy })).toEqual({ ms: 300_000, idlePercent: 25 })
  expect(recordedTimeOf({ ...recording, ended_at: at(0) })).toEqual({ ms: 0, idlePercent: 0 })
  expect(recordedTimeOf({ ...recording, state: 'interrupted', summary: busy })?.ms).toBe(299_000)
  expect(recordedTimeOf({ ...recording, summary: null })).toBeUndefined()
})
