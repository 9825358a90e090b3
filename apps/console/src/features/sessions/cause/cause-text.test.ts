import { describe, expect, it } from 'vitest'
import { causeText, isDeviceLost } from './cause-text.ts'
import { causeMessages } from './messages.ts'

const network = (reason: string, message: string) => ({ by: 'network', reason, message })

describe('the end of a session', () => {
  it.each([
    [network('connection-lost', 'ECONNRESET'), 'The device lost its connection to the server (connection reset).'],
    [network('connection-lost', 'ETIMEDOUT'), 'The device lost its connection to the server (timed out).'],
    [network('connection-lost', 'ERR_STREAM_DESTROYED'), 'The device lost its connection to the server.'],
    // As it is told in a terminal.
    [
      network('connection-lost', 'the device lost its connection to the server.'),
      'The device lost its connection to the server.',
    ],
    [network('disconnected', 'the connection was closed'), 'The device lost its connection to the server.'],
    [network('disconnected', 'the peer closed the connection (1006)'), 'The device lost its connection to the server.'],
    [network('keepalive', 'nothing was heard for 45 s'), 'The device lost its connection to the server (timed out).'],
  ])('by the loss of the device’s link, %j, reads: %s', (cause, text) => {
    expect(isDeviceLost(cause)).toBe(true)
    expect(causeText(cause)).toBe(text)
  })

  it.each([
    [network('keepalive', 'The SSH server of the device stopped answering.')],
    [network('node-lost', 'The connection to the server that holds the device was lost.')],
    [{ by: 'user', reason: 'connection-lost', message: 'The browser was disconnected for more than a minute.' }],
    [{ by: 'user', reason: 'exit', message: '' }],
  ])('by anything else, %j, reads as the server says', (cause) => {
    expect(isDeviceLost(cause)).toBe(false)
    expect(causeText(cause)).toBe(cause.message)
  })

  it.each(Object.keys(causeMessages.codes))('never shows %s', (code) => {
    expect(causeText(network('connection-lost', code))).not.toContain(code)
    expect(causeText({ by: 'agent', reason: 'failed', message: code })).not.toContain(code)
  })

  it('has words in place of codes within a text', () => {
    const message = 'The device opened no connection: connect ECONNREFUSED 127.0.0.1:22.'
    expect(causeText(network('not-opened', message))).toBe(
      'The device opened no connection: connection refused 127.0.0.1:22.',
    )
  })
})
