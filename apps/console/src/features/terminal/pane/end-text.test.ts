import { expect, it } from 'vitest'
import { terminalMessages as texts } from '../messages.ts'
import { endHint, endText } from './end-text.ts'

const state = (by: string, reason: string, message = '') =>
  ({ kind: 'ended', cause: { by, reason, message }, exit: undefined }) as const
const ended = (...cause: Parameters<typeof state>) => endText(state(...cause))

it('says what the server says, also of a lost device or node', () => {
  expect(ended('network', 'device-lost', 'The connection to the device was lost.')).toBe(
    'The connection to the device was lost.',
  )
  expect(ended('policy', 'firewall', 'A firewall rule has ended the session.')).toBe(
    'A firewall rule has ended the session.',
  )
})

it('says what the page knows when the server says nothing', () => {
  expect(ended('network', 'unreachable')).toBe(texts.failedToConnect)
  expect(ended('network', 'not-resumed')).toBe(texts.lost)
  expect(ended('user', 'closed')).toBe(texts.endedBy.user)
})

it('tells the device’s lost connection from the browser’s, and when to connect again', () => {
  expect(ended('network', 'connection-lost', 'ECONNRESET')).toBe(
    'The device lost its connection to the server (connection reset).',
  )
  expect(endHint(state('network', 'connection-lost', 'ECONNRESET'))).toBe(texts.onceOnline)
  expect(endHint(state('network', 'not-resumed'))).toBe('')
  const exited = { ...state('network', 'connection-lost', 'EPIPE'), exit: { status: 0 } }
  expect([endText(exited), endHint(exited)]).toEqual([texts.exited(0), ''])
})
