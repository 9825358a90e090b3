// Mails before a certificate of the identity provider ends.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createMailQueue } from '../mails/queue.ts'
import { mailsTo } from '../mails/testing/outbox.ts'
import { randomIds } from '../platform/ids.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { warnOfCertificates } from './certificates.ts'
import { makeKeyPair } from './saml/key-pair.ts'
import { type TestIdentityProvider, createIdentityProvider } from './saml/testing/identity-provider.ts'
import { ORIGIN, samlSignIns } from './saml/testing/sign-in.ts'

const DAY_MS = 86_400_000
const clock = new ManualClock(Date.now())
let server: BootedServer
let provider: TestIdentityProvider
let admin: Person
beforeAll(async () => {
  provider = await createIdentityProvider()
  server = await bootServer({ clock, settings: { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  admin = await server.setUpAccount()
  await server.addPerson('nobody')
  await samlSignIns(server, provider, clock).enable(admin)
})
afterAll(() => server.close())
beforeEach(async () => {
  const db = server.database.system()
  await db.deleteFrom('mails').execute()
  await db.deleteFrom('mail_counts').execute()
  await db.deleteFrom('certificate_warnings').execute()
})

/** The job, so many days before the provider's certificate ends. */
async function warn(days: number): Promise<void> {
  const at = new ManualClock(provider.keys.expiresAt - days * DAY_MS)
  const secretKey = new SecretKey(server.secretKey)
  const mails = createMailQueue({ clock: at, ids: randomIds, secretKey, publicOrigin: () => ORIGIN, isSending: true })
  await warnOfCertificates({ db: server.database.system(), clock: at, mails })
}
const warnings = async (to = admin.auth.email) =>
  (await mailsTo(server, to, 'certificate-ends')).map(({ values }) => values)

it('mails the administrators 30 and 7 days before the end, once each', async () => {
  await warn(31)
  expect(await warnings()).toEqual([])
  await warn(29.9)
  await warn(20)
  expect(await warnings()).toEqual([
    {
      name: admin.auth.name,
      provider: provider.entityId,
      subject: 'CN=identity provider',
      end: new Date(Math.floor(provider.keys.expiresAt / 1_000) * 1_000).toISOString(),
      newer: false,
      link: `${ORIGIN}/instance/sign-in`,
    },
  ])
  await warn(6.9)
  await warn(1)
  expect(await warnings()).toHaveLength(2)
  await warn(-1)
  expect(await warnings()).toHaveLength(2)
  expect(await warnings('nobody@example.com')).toEqual([])
})

it('mails once where several nodes look at the same time', async () => {
  await Promise.all([warn(29), warn(29), warn(29)])
  expect(await warnings()).toHaveLength(1)
})

it('mails once about a certificate that is set in its last week', async () => {
  await warn(5)
  await warn(4)
  expect(await warnings()).toHaveLength(1)
})

it('says that another certificate is valid for longer', async () => {
  const next = await makeKeyPair('next', provider.keys.expiresAt - 100 * DAY_MS)
  const certificates = [provider.keys.certificate, next.certificate]
  const { body } = await admin.client.call(operations.singleSignOn.setProvider, {
    body: { metadata: provider.metadata(certificates) },
  })
  expect(body.saml).toBe(true)
  await warn(10)
  expect(await warnings()).toMatchObject([{ subject: 'CN=identity provider', newer: true }])
})
