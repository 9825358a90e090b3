// Lines in the log and mails before a certificate of the server ends.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createMailQueue } from '../mails/queue.ts'
import { mailsTo } from '../mails/testing/outbox.ts'
import { foregroundClock } from '@bowline/base/clock'
import { randomIds } from '../platform/ids.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { keptLog } from './testing.ts'
import { describe } from './service.ts'
import { warnOfEnds } from './warnings.ts'

const DAY_MS = 86_400_000
const ORIGIN = 'https://bowline.example.com'
let server: BootedServer
let admin: Person
let cert: string
beforeAll(async () => {
  server = await bootServer()
  admin = await server.setUpAccount()
  await server.addPerson('nobody')
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '90']
  const names = ['-subj', '/CN=test', '-addext', 'subjectAltName=DNS:bowline.example.com', '-keyout', '/dev/null']
  cert = execFileSync('openssl', [...args, ...names], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
})
afterAll(() => server.close())
beforeEach(async () => {
  const db = server.database.system()
  for (const table of ['mails', 'mail_counts', 'certificate_warnings'] as const) await db.deleteFrom(table).execute()
})

/** The certificate, so many days after it was made. */
function after(days: number, isOperators = true) {
  const clock = { now: () => Date.now() + days * DAY_MS }
  return { db: server.database.system(), clock, acme: undefined, tls: { cert, key: '' }, isOperators }
}

/** @returns what was logged */
async function warn(days: number, isOperators?: boolean): Promise<string> {
  const { log, text } = keptLog()
  const secretKey = new SecretKey(server.secretKey)
  const queue = { clock: foregroundClock, ids: randomIds, secretKey, publicOrigin: () => ORIGIN, isSending: true }
  await warnOfEnds({ ...after(days, isOperators), log, mails: createMailQueue(queue) })
  return text()
}
const mails = async (to = admin.auth.email) =>
  (await mailsTo(server, to, 'server-certificate-ends')).map(({ values }) => values)

it.each([
  [70, 'valid', ''],
  [80, 'ending', '"state":"ending","names":["bowline.example.com"]'],
  [91, 'expired', '"state":"expired"'],
] as const)('after %i of 90 days a certificate is %s, and the log says: %s', async (days, state, line) => {
  const text = await warn(days)
  const { certificates } = await describe(after(days))
  expect(certificates).toMatchObject([{ use: 'console', source: 'files', state, renews_at: null }])
  expect(text).toContain(line)
  expect(text === '').toBe(line === '')
})

it('mails the administrators 14 and 3 days before the end, once each', async () => {
  await warn(75)
  expect(await mails()).toEqual([])
  await Promise.all([warn(77), warn(77)])
  await warn(80)
  expect(await mails()).toEqual([
    {
      name: admin.auth.name,
      names: 'bowline.example.com',
      renewed: false,
      failure: '',
      end: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      link: `${ORIGIN}/instance/certificates`,
    },
  ])
  await warn(88)
  await warn(89)
  await warn(91)
  expect(await mails()).toHaveLength(2)
  expect(await mails('nobody@example.com')).toEqual([])
})

it('mails nothing about the certificate that the server has signed itself', async () => {
  expect(await warn(80, false)).toContain('"state":"ending"')
  expect(await mails()).toEqual([])
})
