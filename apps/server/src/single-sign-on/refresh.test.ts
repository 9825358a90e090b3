// The daily look at the provider's metadata, over real HTTP: new keys are taken, and what was good stays.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { refreshMetadata } from './provider-settings.ts'
import { makeKeyPair } from './saml/key-pair.ts'
import { type TestIdentityProvider, createIdentityProvider } from './saml/testing/identity-provider.ts'
import { ORIGIN } from './saml/testing/sign-in.ts'

const { singleSignOn } = operations
const DAY_MS = 86_400_000
let server: BootedServer
let admin: Person
let provider: TestIdentityProvider
let clock: ManualClock
/** What the provider publishes. */
let page: { status: number; text: string }
let asked = 0
const publisher = createServer((_, answer) => {
  asked += 1
  answer.writeHead(page.status).end(page.text)
})
let address: string
beforeAll(async () => {
  publisher.listen(0, '127.0.0.1')
  await once(publisher, 'listening')
  address = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/metadata`
  provider = await createIdentityProvider()
  server = await bootServer({ settings: { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32' } })
  admin = await server.setUpAccount()
})
afterAll(async () => {
  publisher.close()
  await server.close()
})
beforeEach(async () => {
  page = { status: 200, text: provider.metadata() }
  await admin.client.call(singleSignOn.setProvider, { body: { metadata_url: address } })
  clock = new ManualClock(Date.now())
  asked = 0
})

const egress = { privateNetworks: false, allowed: (one: string) => one === '127.0.0.1' }
const refresh = () => refreshMetadata({ db: server.database.system(), clock, log: silentLog, egress })
const described = async () => (await admin.client.call(singleSignOn.settings, {})).body.provider
const trusted = async () => (await described()).certificates.map(({ certificate }) => certificate)

it('fetches once a day, and takes a key that the provider announces beside the old one', async () => {
  const next = await makeKeyPair('next', Date.now())
  const both = [provider.keys.certificate, next.certificate]
  page.text = provider.metadata(both)
  clock.advance(DAY_MS - 60_000)
  await refresh()
  expect([asked, await trusted()]).toEqual([0, [provider.keys.certificate]])
  clock.advance(120_000)
  await refresh()
  await refresh()
  expect([asked, await trusted()]).toEqual([1, both])
  expect(await described()).toMatchObject({
    metadata_failure: '',
    metadata_checked_at: new Date(clock.now()).toISOString(),
  })
})

it.each([
  { what: 'cannot be had', to: () => ({ status: 503, text: '' }), failure: 'it answers 503' },
  { what: 'are no XML', to: () => ({ status: 200, text: '<html>' }), failure: expect.stringMatching(/./) },
  {
    what: 'have a DOCTYPE',
    to: () => ({ status: 200, text: `<!DOCTYPE md>${provider.metadata()}` }),
    failure: 'it contains a document type declaration',
  },
  {
    what: 'describe another provider',
    to: () => ({ status: 200, text: provider.metadata().replaceAll(provider.entityId, 'https://evil.example') }),
    failure: 'it describes another identity provider',
  },
  {
    what: 'have no certificate',
    to: () => ({ status: 200, text: provider.metadata().replaceAll(/<(\w+:)?KeyDescriptor.*?KeyDescriptor>/gs, '') }),
    failure: 'it has no signing certificate',
  },
])(
  'keeps the last good ones when those of today $what, says why, and takes good ones again',
  async ({ to, failure }) => {
    const before = await described()
    page = to()
    clock.advance(DAY_MS)
    await refresh()
    const { certificates, entity_id, signon_url } = before
    expect(await described()).toMatchObject({ certificates, entity_id, signon_url, metadata_failure: failure })
    page = { status: 200, text: provider.metadata() }
    clock.advance(DAY_MS)
    await refresh()
    expect(await described()).toMatchObject({ certificates, metadata_failure: '' })
  },
)
