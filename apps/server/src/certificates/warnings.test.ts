// Lines in the log before a certificate ends.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { keptLog } from './testing.ts'
import { describe } from './service.ts'
import { warnOfEnds } from './warnings.ts'

const DAY_MS = 86_400_000
let scratch: TestDatabase
let cert: string
beforeAll(async () => {
  scratch = await testDatabase()
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '90']
  const names = ['-subj', '/CN=test', '-addext', 'subjectAltName=DNS:bowline.example.com', '-keyout', '/dev/null']
  cert = execFileSync('openssl', [...args, ...names], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
})
afterAll(() => scratch.close())

/** The operator's certificate, so many days after it was made. */
function after(days: number) {
  const clock = { now: () => Date.now() + days * DAY_MS }
  return { db: scratch.database.system(), clock, acme: undefined, tls: { cert, key: '' }, isOperators: true }
}

it.each([
  [70, 'valid', ''],
  [80, 'ending', '"state":"ending","names":["bowline.example.com"]'],
  [91, 'expired', '"state":"expired"'],
] as const)('after %i of 90 days a certificate is %s, and the log says: %s', async (days, state, line) => {
  const { log, text } = keptLog()
  await warnOfEnds(after(days), log)
  const { certificates } = await describe(after(days))
  expect(certificates).toMatchObject([{ use: 'console', source: 'files', state, renews_at: null }])
  expect(text()).toContain(line)
  expect(text() === '').toBe(line === '')
})
