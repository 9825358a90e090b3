import { expect, it } from 'vitest'
import { terminalMessages as texts } from '../messages.ts'
import { endText } from './end-text.ts'

const ended = (by: string, reason: string, message = '') =>
  endText({ kind: 'ended', cause: { by, reason, message }, exit: undefined })

it('says what the server says, also of a lost device or node', () => {
  expect(ended('network', 'device-lost', 'The connection to the device was lost.')).toBe(
    'The connection to the device was lost.',
  )
  expect(ended('policy', 'firewall', 'A firewall rule has ended the session.')).toBe(
    'A firewall rule has ended the session.',
  )
})

it('says what the page knows when the server says nothing', () => {
  expect(ended('network', 'disconnected')).toBe(texts.failedToConnect)
  expect(ended('network', 'connection-lost')).toBe(texts.lost)
  expect(ended('user', 'closed')).toBe(texts.endedBy.user)
})
