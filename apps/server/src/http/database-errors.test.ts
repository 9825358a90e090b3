import { connect } from 'node:net'
import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { isDatabaseAway } from './database-errors.ts'

const withCode = (code: string) => Object.assign(new Error('x'), { code })

describe('isDatabaseAway', () => {
  it.each([
    '08006',
    '53300',
    '57014',
    '57P01',
    '57P03',
    '40001',
    '40P01',
    '23503',
    'ECONNREFUSED',
    'EPIPE',
    'EAI_AGAIN',
  ])('classifies code %s as retryable', (code) => {
    expect(isDatabaseAway(withCode(code))).toBe(true)
  })

  it.each(['23505', '42601', '22021', '42P01', '25P02', '0A000', 'ERR_X', 'FST_ERR_CTP_INVALID_JSON_BODY'])(
    'classifies code %s as a defect',
    (code) => {
      expect(isDatabaseAway(withCode(code))).toBe(false)
    },
  )

  it('classifies a refused connection as retryable, over TCP and over a socket file', async () => {
    for (const host of ['127.0.0.1', '/nonexistent']) {
      const client = new Client({ host, port: 1, user: 'x', database: 'x', password: 'x' })
      const failure: unknown = await client.connect().catch((error: unknown) => error)
      expect(isDatabaseAway(failure)).toBe(true)
    }
  })

  it.each([
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Client has encountered a connection error and is not queryable',
  ])('classifies driver errors without a code as retryable: %s', (sentence) => {
    expect(isDatabaseAway(new Error(sentence))).toBe(true)
  })

  it('ignores missing files and other thrown values', async () => {
    const missing: unknown = await readFile('/nonexistent').catch((error: unknown) => error)
    expect(missing).toMatchObject({ code: 'ENOENT' })
    for (const other of [missing, new TypeError('x is not a function'), 'Connection terminated', undefined, null]) {
      expect(isDatabaseAway(other)).toBe(false)
    }
    const socket = connect('/nonexistent')
    const refused = await new Promise((resolve) => socket.once('error', resolve))
    expect(isDatabaseAway(refused)).toBe(true)
  })
})
