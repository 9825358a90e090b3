import { expect, it } from 'vitest'
import { makeDevice, makeSession } from '../../../testing/fixtures.ts'
import { eventText } from '../../sessions/event-text.ts'
import { sessionsMessages } from '../../sessions/messages.ts'
import { playerMessages } from '../messages.ts'
import { isFileTransfer, marksOf } from './session-marks.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
const INDEX = { started_at: new Date(START).toISOString(), commands: [] }

/** A session with events a second apart. */
function sessionWith(...events: readonly (readonly [type: string, data: unknown, seat?: number])[]) {
  const items = events.map(([type, data, seat = 0], number) => ({
    type,
    data,
    seat,
    timestamp: new Date(START + number * 1_000).toISOString(),
  }))
  return makeSession(0, START, makeDevice(0, START), { events: { types: [], seats: [0], items } })
}

it('marks window sizes that differ from the one before', () => {
  const size = (columns: number) => ({ columns, rows: 21 })
  const session = sessionWith(
    ['pty-req', { term: 'xterm', ...size(140) }],
    ['window-change', size(140)],
    ['window-change', size(90)],
    ['window-change', size(140), 1],
    ['window-change', size(90)],
    ['window-change', size(140)],
  )
  expect(marksOf(session, 0, INDEX)).toEqual([
    { atMs: 2_000, type: 'window-change', what: '90×21' },
    { atMs: 5_000, type: 'window-change', what: '140×21' },
  ])
})

it('marks file operations', () => {
  const session = sessionWith(
    ['subsystem', { command: 'sftp' }],
    ['file', { operation: 'upload', path: '/a', bytes: 2_000, result: 'ok' }],
  )
  expect(marksOf(session, 0, INDEX).map(({ type, what }) => [type, what])).toEqual([
    ['subsystem', 'sftp'],
    ['file', 'upload /a · 2 kB'],
  ])
})

it('marks who watched, joined and left, in the words of the session’s timeline', () => {
  const by = 'ada'
  const session = sessionWith(
    ['watch', { by }],
    ['join-request', { by }],
    ['join', { by }],
    ['join', { by: 'bob' }, 1],
    ['join-input', { by }],
    ['join-end', { by, reason: 'join-left', typed: 3 }],
    ['watch-end', { by }],
    ['play', { by }],
  )
  const marks = marksOf(session, 0, INDEX)
  expect(marks.map(({ atMs, type, what }) => [atMs, playerMessages.events[type], what])).toEqual([
    [0, sessionsMessages.happened.watch, by],
    [1_000, sessionsMessages.happened['join-request'], by],
    [2_000, sessionsMessages.happened.join, by],
    [4_000, sessionsMessages.happened['join-input'], by],
    [5_000, sessionsMessages.happened['join-end'], eventText('join-end', { by, reason: 'join-left', typed: 3 })],
    [6_000, sessionsMessages.happened['watch-end'], by],
  ])
})

it.each([
  ['sftp', ['subsystem', { command: 'sftp' }], true],
  ['another subsystem', ['subsystem', { command: 'netconf' }], false],
  ['sftp on another channel', ['subsystem', { command: 'sftp' }, 1], false],
  ['a command', ['exec', { command: 'sftp' }], false],
] as const)('tells that a channel has no screen: %s', (_name, event, isFiles) => {
  expect(isFileTransfer(sessionWith(event), 0)).toBe(isFiles)
})
