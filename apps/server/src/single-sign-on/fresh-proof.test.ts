// Sign-ins by a provider as fresh proofs: only one that the provider has asked the person for counts.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unique } from '../registration/testing.ts'
import { addFactor } from '../mfa/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { CLIENT, type TestOpenidProvider, startOpenidProvider } from './openid/testing/provider.ts'
import { createIdentityProvider } from './saml/testing/identity-provider.ts'
import { ORIGIN, type SamlSignIns, readRequest, samlSignIns } from './saml/testing/sign-in.ts'
import { testBrowser, tokenOf } from './testing/browser.ts'

const { mfa, openid, passkeys, programs } = operations
const MINUTE = 60_000
let clock: ManualClock
let server: BootedServer
let admin: Person
let idp: TestOpenidProvider
let saml: SamlSignIns
let openidId: string
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  idp = await startOpenidProvider(`${ORIGIN}/api/user/openid/callback`)
  server = await bootServer({
    clock,
    settings: {
      BOWLINE_PUBLIC_URL: ORIGIN,
      BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
    },
  })
  admin = await server.setUpAccount()
  saml = samlSignIns(server, await createIdentityProvider(), clock)
  await saml.enable(admin)
  openidId = (await admin.client.call(openid.add, { body: { name: 'Directory', issuer: idp.issuer, ...CLIENT } })).body
    .id
})
afterAll(async () => {
  await server.close()
  await idp.close()
})

/** Outcome of a change that asks everybody for a proof. */
async function approve(token: string): Promise<string> {
  const { body } = await server.client().call(programs.start, { body: { name: 'laptop' } })
  return outcome(server.client(token).call(programs.decide, { body: { user_code: body.user_code, approve: true } }))
}

describe('a sign-in by SAML', () => {
  const parts = () => {
    const email = `${unique()}@example.org`
    return { nameId: email, attributes: { emailAddress: email, displayName: 'Grace' } }
  }

  it.each([
    { what: 'just now', minutes: 0, counts: true },
    { what: 'nine minutes ago', minutes: 9, counts: true },
    { what: 'eleven minutes ago, without asking again', minutes: 11, counts: false },
  ])('counts from when the provider authenticated the person: $what', async ({ minutes, counts }) => {
    const browser = testBrowser(server)
    const page = await saml.signIn(browser, { ...parts(), authenticatedAt: clock.now() - minutes * MINUTE })
    const { token } = await browser.signIn(page)
    expect(await approve(token)).toBe(counts ? '200' : '403 FRESH_PROOF_REQUIRED')
  })

  it('counts no longer when the provider’s clock runs ahead', async () => {
    const browser = testBrowser(server)
    const page = await saml.signIn(browser, { ...parts(), authenticatedAt: clock.now() + 5 * MINUTE })
    const { id } = await browser.signIn(page)
    const rows = server.database
      .system()
      .selectFrom('sign_ins')
      .select('proven_at')
      .where('user_id', '=', id as never)
    expect(await rows.execute()).toEqual([{ proven_at: new Date(clock.now()) }])
  })

  it.each([
    { what: 'just now', minutes: 0, refused: '' },
    { what: 'an hour ago', minutes: 60, refused: '403 FRESH_PROOF_REQUIRED' },
    // There is nothing better to go by, and people without a password need a way to their first factor.
    { what: 'at a time that it does not tell', minutes: null, refused: '' },
  ])(
    'adds a first factor without a password where the provider authenticated the person $what',
    async ({ minutes, refused }) => {
      const [browser, person] = [testBrowser(server), parts()]
      const first = server.client((await browser.signIn(await saml.signIn(browser, person))).token)
      const { secret, recovery_codes } = (await first.call(mfa.generate, {})).body
      const authenticatedAt = minutes === null ? null : clock.now() - minutes * MINUTE
      const page = await saml.signIn(browser, { ...person, authenticatedAt })
      const client = server.client((await browser.signIn(page)).token)
      expect(await outcome(client.call(mfa.generate, {}))).toBe(refused || '200')
      // The code is wrong; a password is not asked for.
      const enable = client.call(mfa.enable, { body: { secret, recovery_codes, code: '000000' } })
      expect(await outcome(enable)).toBe(refused || '403 CODE_REFUSED')
      expect(await outcome(client.call(passkeys.registerOptions, { body: {} }))).toBe(refused || '200')
    },
  )

  it('brings no password that could not be used: an administrator opens that way in', async () => {
    const browser = testBrowser(server)
    const client = server.client((await browser.signIn(await saml.signIn(browser, parts()))).token)
    const set = () => outcome(client.call(passkeys.setPassword, { body: { password: 'correct horse 2' } }))
    expect(await set()).toBe('400 INVALID_INPUT password')
    await addFactor(client, clock)
    expect(await set()).toBe('400 INVALID_INPUT password')
  })

  it('adds no first factor by a session at the provider where the account has a password, but by that', async () => {
    const person = await server.addPerson(unique())
    const browser = testBrowser(server)
    const own = { nameId: person.auth.email, attributes: { emailAddress: person.auth.email, displayName: 'Grace' } }
    const page = await saml.signIn(browser, { ...own, authenticatedAt: clock.now() - 60 * MINUTE })
    const body = { token: tokenOf(page), password: person.password }
    const linked = await browser.send('/api/auth/session/link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(linked.status).toBe(200)
    const again = await saml.signIn(browser, { ...own, authenticatedAt: clock.now() - 60 * MINUTE })
    const client = server.client((await browser.signIn(again)).token)
    const { secret, recovery_codes } = (await client.call(mfa.generate, {})).body
    const enable = (more: { current_password?: string }) =>
      outcome(client.call(mfa.enable, { body: { secret, recovery_codes, code: '000000', ...more } }))
    expect(await enable({})).toBe('400 INVALID_INPUT current_password')
    expect(await enable({ current_password: person.password })).toBe('403 CODE_REFUSED')
  })

  it.each([
    { query: '', forced: 'false' },
    { query: '?fresh=true', forced: 'true' },
  ])(
    'asks for authentication whatever session there is, when it is to be a proof: $query',
    async ({ query, forced }) => {
      const response = await testBrowser(server).send(`/api/user/saml/auth${query}`)
      const { xml } = readRequest(((await response.json()) as { url: string }).url)
      expect(/ForceAuthn="(\w+)"/.exec(xml)?.[1] ?? 'false').toBe(forced)
    },
  )
})

describe('a sign-in by OpenID Connect', () => {
  beforeEach(() => clock.advance(Date.now() - clock.now()))
  const begin = async (query: string) => {
    const browser = testBrowser(server)
    const response = await browser.send(`/api/user/openid/${openidId}/auth${query}`)
    return { browser, url: ((await response.json()) as { url: string }).url }
  }

  it.each([
    { query: '', prompt: null, age: '2592000' },
    { query: '?fresh=true', prompt: 'login', age: '0' },
  ])('asks to log in anew when it is to be a proof: $query', async ({ query, prompt, age }) => {
    const { searchParams } = new URL((await begin(query)).url)
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual([prompt, age])
  })

  it.each(['', '?fresh=true'])('counts from the provider’s auth_time: %s', async (query) => {
    const { browser, url } = await begin(query)
    const name = unique()
    const person = { sub: name, email: `${name}@example.org`, email_verified: true, name }
    const back = await idp.authorize(url, person)
    const { token } = await browser.signIn(await browser.open(back.pathname + back.search))
    expect(await approve(token)).toBe('200')
    const row = server.database.system().selectFrom('sign_ins').select(['proven_at', 'created_at'])
    const last = await row.orderBy('created_at', 'desc').limit(1).executeTakeFirstOrThrow()
    expect(last.proven_at?.getTime()).toBeLessThanOrEqual(last.created_at.getTime())
  })
})
