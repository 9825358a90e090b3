// The tester: what it says about a pasted answer, which it neither uses up nor acts on.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { disable } from '../../administration/testing.ts'
import { unique } from '../../registration/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { testBrowser } from '../testing/browser.ts'
import { createIdentityProvider } from './testing/identity-provider.ts'
import type { ResponseParts, TestIdentityProvider } from './testing/identity-provider.ts'
import { ORIGIN, OWN, type SamlSignIns, samlSignIns } from './testing/sign-in.ts'

const { singleSignOn } = operations
const clock = new ManualClock(Date.now())
let server: BootedServer
let admin: Person
let provider: TestIdentityProvider
let signIns: SamlSignIns
beforeAll(async () => {
  server = await bootServer({ clock, settings: { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  admin = await server.setUpAccount()
  provider = await createIdentityProvider()
  signIns = samlSignIns(server, provider, clock)
  await signIns.enable(admin)
})
afterAll(() => server.close())

const check = async (response: string) => (await admin.client.call(singleSignOn.check, { body: { response } })).body
const xmlOf = (parts: Partial<ResponseParts>) =>
  provider.response({ ...OWN, requestId: '_any', now: clock.now(), ...parts })
const partsOf = (email: string) => ({ nameId: email, attributes: { emailAddress: email, displayName: 'Grace' } })
const accounts = () => server.database.system().selectFrom('users').select('email').orderBy('email').execute()

it('says what a sign-in would come to, as XML or as the field of a form, and does none of it', async () => {
  const email = `${unique()}@example.org`
  const holder = await server.addPerson(unique())
  const before = await accounts()
  const created = { accepted: true, reason: '', subject: email, email, name: 'Grace', effect: 'create' }
  const xml = xmlOf(partsOf(email))
  expect(await check(xml)).toMatchObject(created)
  expect(await check(Buffer.from(xml).toString('base64'))).toMatchObject(created)
  expect(await check(xmlOf(partsOf(holder.auth.email)))).toMatchObject({ accepted: true, effect: 'ask' })
  expect(await accounts()).toEqual(before)

  const browser = testBrowser(server)
  await browser.signIn(await signIns.signIn(browser, partsOf(email)))
  expect(await check(xml)).toMatchObject({ accepted: true, effect: 'sign-in' })
})

it('links where addresses are trusted', async () => {
  const { auth } = await server.addPerson(unique())
  await admin.client.call(singleSignOn.update, { body: { trust_addresses: true } })
  expect(await check(xmlOf(partsOf(auth.email)))).toMatchObject({ accepted: true, effect: 'link' })
  await admin.client.call(singleSignOn.update, { body: { trust_addresses: false } })
})

it('says why an account that is disabled gets no sign-in', async () => {
  const person = await server.addPerson(unique())
  await disable(admin, person)
  expect(await check(xmlOf(partsOf(person.auth.email)))).toMatchObject({
    accepted: false,
    effect: 'refuse',
    reason: 'the account is not confirmed, or is disabled',
  })
})

it('names the attributes that the mappings miss, beside those that came', async () => {
  const attributes = { mail: 'grace@example.org', displayName: 'Grace' }
  expect(await check(xmlOf({ nameId: 'grace', attributes }))).toMatchObject({
    accepted: false,
    effect: 'none',
    reason: 'it lacks attributes that the mappings name: emailaddress',
    missing: ['emailaddress'],
    attributes: [
      { name: 'mail', values: ['grace@example.org'] },
      { name: 'displayname', values: ['Grace'] },
    ],
  })
})

it.each([
  { what: 'another recipient', parts: { recipient: 'https://evil.example' }, reason: 'its destination is another' },
  { what: 'another audience', parts: { audience: 'https://evil.example' }, reason: 'its audience is another' },
  { what: 'no signature', parts: { sign: 'nothing' } as const, reason: expect.stringMatching(/sign/) },
  { what: 'a time that is over', parts: { validFor: -3_600 }, reason: 'it has expired' },
])('says why it refuses $what', async ({ parts, reason }) => {
  expect(await check(xmlOf({ ...partsOf('grace@example.org'), ...parts }))).toMatchObject({ accepted: false, reason })
})

it.each(['not XML at all', '<html/>', '<', '%%%', Buffer.of(0, 1, 2).toString('base64')])(
  'refuses what is no response, and says so: %s',
  async (text) => {
    expect(await check(text)).toMatchObject({ accepted: false, effect: 'none', reason: expect.stringMatching(/./) })
  },
)

it('answers administrators of the server only', async () => {
  const { client } = await server.addPerson(unique())
  expect(await outcome(client.call(singleSignOn.check, { body: { response: '<a/>' } }))).toMatch(/^403/)
})
