import { DeviceUid, SessionUid } from '@bowline/contract/schemas/common'
import type { RecordingHit } from '@bowline/contract/schemas/recording'
import { expect, it } from 'vitest'
import { foldedHits } from './folded-hits.ts'

const hit = (kind: RecordingHit['kind'], snippet: string, seconds: number, seat = 0): RecordingHit => ({
  session: SessionUid.parse('a'.repeat(64)),
  device_uid: DeviceUid.parse('b'.repeat(64)),
  username: 'root',
  seat,
  kind,
  seconds,
  at: '2026-11-30T23:00:00Z',
  snippet,
  matches: [],
})

it('lists a command once, without its echo at the prompt', () => {
  const command = hit('command', 'sleep 6; uname -a', 291)
  const answer = hit('output', 'Linux vm 6.12 uname', 297)
  expect(foldedHits([command, hit('output', '# sleep 6; uname -a', 290), answer])).toEqual([command, answer])
})

it('keeps the same words at another time, in another channel, and where the command is no hit', () => {
  const command = hit('command', 'make', 10)
  const others = [hit('output', '$ make', 30), hit('output', '$ make', 10, 1), hit('output', 'make: done', 10)]
  expect(foldedHits([command, ...others])).toEqual([command, ...others])
  expect(foldedHits([hit('output', '$ make', 10)])).toHaveLength(1)
})
