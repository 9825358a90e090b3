// Sign-in by SAML through a running server, with an identity provider of our own.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { disable, enable } from '../../administration/testing.ts'
import { testBrowser, tokenOf } from '../testing/browser.ts'
import { type TestIdentityProvider, createIdentityProvider } from './testing/identity-provider.ts'
import { OWN, ORIGIN, type SamlSignIns, readRequest, samlSignIns } from './testing/sign-in.ts'

const { singleSignOn, auth, instance, users } = operations
const clock = new ManualClock(Date.UTC(2_026, 10, 23, 12))
let server: BootedServer
let provider: TestIdentityProvider
let admin: Person
let saml: SamlSignIns

const CONSUMER = '/api/user/saml/auth'
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const person = (name: string, rest: Record<string, string> = {}) => ({
  nameId: `id-${name}`,
  attributes: { EMAILADDRESS: `${name}@example.com`, displayName: name, ...rest },
})
/** Administrators without a second factor confirm changes by their password. */
const prove = () => admin.client.call(operations.mfa.prove, { body: { current_password: PASSWORD } })
const settings = async (body: Record<string, unknown>) => {
  await prove()
  return admin.client.call(singleSignOn.update, { body })
}

beforeAll(async () => {
  provider = await createIdentityProvider()
  server = await bootServer({ clock, settings: { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  admin = await server.setUpAccount()
  saml = samlSignIns(server, provider, clock)
})
afterAll(() => server.close())

describe('switching SAML on', () => {
  it('needs a provider, and a test that signs nobody in', async () => {
    const start = () => server.client().call(operations.saml.start, {})
    expect(await outcome(start())).toBe('501 SAML_DISABLED')
    expect(await outcome(settings({ saml: true }))).toBe('400 INVALID_INPUT saml')
    await admin.client.call(singleSignOn.setProvider, { body: { metadata: provider.metadata() } })
    expect(await outcome(settings({ saml: true }))).toBe('400 INVALID_INPUT saml')
    expect(await outcome(start())).toBe('501 SAML_DISABLED')
    await saml.enable(admin)
    expect((await server.client().call(instance.info, {})).body.authentication).toEqual({
      local: true,
      saml: true,
      openid: [],
      passkeys: true,
    })
    expect(await server.database.system().selectFrom('identities').selectAll().execute()).toEqual([])
  })

  it('sends a request with our address and asks for a persistent name', async () => {
    const { body } = await server.client().call(operations.saml.start, {})
    const { xml, query } = readRequest(body.url)
    expect(body.url.startsWith('https://idp.example.org/sso?tenant=1&')).toBe(true)
    expect(xml).toContain(`AssertionConsumerServiceURL="${OWN.recipient}"`)
    expect(xml).toContain('nameid-format:persistent')
    expect(query.has('Signature')).toBe(false)
  })
})

describe('a first sign-in', () => {
  it('creates a confirmed account without a password and signs it in', async () => {
    const browser = testBrowser(server)
    const page = await saml.signIn(browser, person('grace'))
    expect(page).toMatch(/^\/login\?token=exchange_[\w-]{43}$/)
    const signedIn = await browser.signIn(page)
    expect(signedIn).toMatchObject({
      email: 'grace@example.com',
      origin: 'SAML',
      auth_methods: ['saml'],
      user: 'grace',
    })
    expect((await server.fetch(auth.getUser.path, bearer(signedIn.token))).status).toBe(200)
    const login = server.client().call(auth.login, { body: { username: 'grace', password: PASSWORD } })
    expect(await outcome(login)).toBe('401 BAD_CREDENTIALS')
  })

  it('finds the account again by its NameID, whatever its address is now', async () => {
    const [first, second] = [testBrowser(server), testBrowser(server)]
    const before = await first.signIn(await saml.signIn(first, person('mary')))
    const moved = { ...person('mary-new'), nameId: 'id-mary' }
    expect((await second.signIn(await saml.signIn(second, moved))).id).toBe(before.id)
  })

  it('is refused to a disabled account, and a sign-in that has begun gets no token', async () => {
    const [first, begun] = [testBrowser(server), testBrowser(server)]
    const { id } = await first.signIn(await saml.signIn(first, person('dora')))
    const page = await saml.signIn(begun, person('dora'))
    await prove()
    await disable(admin, { id: id as Person['id'] })
    await expect(begun.signIn(page)).rejects.toThrow('401 for')
    expect(await saml.signIn(testBrowser(server), person('dora'))).toBe('/login?sso=account')
    await enable(admin, { id: id as Person['id'] })
    const again = testBrowser(server)
    expect((await again.signIn(await saml.signIn(again, person('dora')))).id).toBe(id)
  })

  it('names the mapped attributes that are missing', async () => {
    const page = await saml.signIn(testBrowser(server), { nameId: 'x', attributes: { other: 'x' } })
    expect(page).toBe('/login?missing_assertions=emailaddress,displayname')
  })

  it('completes the placeholder of an invitation', async () => {
    await server.database
      .system()
      .insertInto('users')
      .values({ id: '0123456789abcdef01234567' as never, email: 'asked@example.com', status: 'invited' })
      .execute()
    const browser = testBrowser(server)
    expect((await browser.signIn(await saml.signIn(browser, person('asked')))).id).toBe('0123456789abcdef01234567')
  })
})

describe('a one-use token', () => {
  it('works once under twenty parallel calls, and gives existing clients the real token', async () => {
    const page = await saml.signIn(testBrowser(server), person('parallel'))
    const calls = Array.from({ length: 20 }, () => server.fetch(auth.getUser.path, bearer(tokenOf(page))))
    const answers = await Promise.all(calls)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19)
    const good = (await answers.find(({ ok }) => ok)?.json()) as { token: string }
    expect((await server.fetch(auth.getUser.path, bearer(good.token))).status).toBe(200)
  })

  it('expires after a minute', async () => {
    const page = await saml.signIn(testBrowser(server), person('slow'))
    clock.advance(60_000)
    expect((await server.fetch(auth.getUser.path, bearer(tokenOf(page)))).status).toBe(401)
  })

  it('opens no other call and no session of another browser', async () => {
    const browser = testBrowser(server)
    const page = await saml.signIn(browser, person('bound'))
    expect((await server.fetch(users.listSignIns.path, bearer(tokenOf(page)))).status).toBe(401)
    expect((await testBrowser(server).exchange(page)).status).toBe(401)
    const other = testBrowser(server)
    await saml.begin(other)
    expect((await other.exchange(page)).status).toBe(401)
    expect((await browser.exchange(page)).status).toBe(200)
    expect((await browser.exchange(page)).status).toBe(401)
  })
})

describe('an answer', () => {
  const refused = '/login?sso='

  it('needs the cookie of the browser that asked', async () => {
    const browser = testBrowser(server)
    const fields = saml.answer(await saml.begin(browser), person('victim'))
    const other = testBrowser(server)
    expect(await other.postForm(CONSUMER, fields)).toBe(`${refused}request`)
    await saml.begin(other)
    expect(await other.postForm(CONSUMER, fields)).toBe(`${refused}request`)
    expect(await browser.postForm(CONSUMER, fields)).toContain('/login?token=')
  })

  it('counts once, and so does its assertion', async () => {
    const browser = testBrowser(server)
    const fields = saml.answer(await saml.begin(browser), person('replay'))
    expect(await browser.postForm(CONSUMER, fields)).toContain('token=')
    expect(await browser.postForm(CONSUMER, fields)).toBe(`${refused}request`)
  })

  it('is refused ten minutes after the request', async () => {
    const browser = testBrowser(server)
    const id = await saml.begin(browser)
    clock.advance(600_000)
    expect(await browser.postForm(CONSUMER, saml.answer(id, person('late')))).toBe(`${refused}request`)
  })

  it('without a request is refused unless sign-ins of the provider are allowed, and works once then', async () => {
    const fields = saml.answer(undefined, person('dashboard'))
    const send = (relay = '/devices') => testBrowser(server).postForm(CONSUMER, { ...fields, RelayState: relay })
    expect(await send()).toBe(`${refused}request`)
    await prove()
    await admin.client.call(singleSignOn.setProvider, { body: { unsolicited: true } })
    expect(await send()).toMatch(/^\/login\?token=.*&redirect=%2Fdevices$/)
    expect(await send()).toBe(`${refused}answer`)
    await admin.client.call(singleSignOn.setProvider, { body: { unsolicited: false } })
  })

  it('does not lead to other sites', async () => {
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
    ]) {
      const browser = testBrowser(server)
      const id = await saml.begin(browser, `?next=${encodeURIComponent(next)}`)
      const page = await browser.postForm(CONSUMER, saml.answer(id, person('traveller')))
      expect([next, page.includes('redirect')]).toEqual([next, false])
    }
    const browser = testBrowser(server)
    const id = await saml.begin(browser, '?next=/devices%3Fpage=2')
    expect(await browser.postForm(CONSUMER, saml.answer(id, person('traveller')))).toContain(
      'redirect=%2Fdevices%3Fpage%3D2',
    )
  })

  it('is judged by the configured address, whatever the headers say', async () => {
    const browser = testBrowser(server)
    const poisoned = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
    const response = await browser.send(CONSUMER, { headers: poisoned })
    const { xml } = readRequest(((await response.json()) as { url: string }).url)
    expect(xml).not.toContain('evil.example')
    const metadata = await (await server.fetch('/api/user/saml/metadata', { headers: poisoned })).text()
    expect(metadata).not.toContain('evil.example')
    expect(metadata).toContain(`Location="${OWN.recipient}"`)
  })

  it('must be one form field of a readable size', async () => {
    const post = (body: string, type = 'application/x-www-form-urlencoded') =>
      server.fetch(CONSUMER, { method: 'POST', redirect: 'manual', headers: { 'content-type': type }, body })
    expect((await post('SAMLResponse=a&SAMLResponse=b')).headers.get('location')).toBe(`${refused}answer`)
    expect((await post('nothing=1')).headers.get('location')).toBe(`${refused}answer`)
    expect((await post('{}', 'application/json')).status).toBe(415)
    expect((await post(`SAMLResponse=${'a'.repeat(200_000)}`)).status).toBe(413)
  })
})

describe('an existing account with the same address', () => {
  it('is linked by its password only, in the same browser', async () => {
    const local = await server.addPerson('lovelace')
    const browser = testBrowser(server)
    const page = await saml.signIn(browser, person('lovelace'))
    expect(page).toMatch(/^\/sign-in\/link\?token=/)
    const link = (password: string, by = browser) =>
      by.send(singleSignOn.link.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: tokenOf(page), password }),
      })
    expect((await link('wrong-password')).status).toBe(401)
    expect((await link(PASSWORD, testBrowser(server))).status).toBe(401)
    const linked = await link(PASSWORD)
    expect(await linked.json()).toMatchObject({ id: local.id, auth_methods: ['local', 'saml'] })
    expect((await link(PASSWORD)).status).toBe(401)
    const again = testBrowser(server)
    expect((await again.signIn(await saml.signIn(again, person('lovelace')))).id).toBe(local.id)
  })

  it('is linked at once where the instance trusts addresses', async () => {
    const local = await server.addPerson('trusted')
    await settings({ trust_addresses: true })
    const browser = testBrowser(server)
    expect((await browser.signIn(await saml.signIn(browser, person('trusted')))).id).toBe(local.id)
    await settings({ trust_addresses: false })
  })

  it('stays alone while its address is unconfirmed, whatever is trusted', async () => {
    const squatter = await server.addPerson('squatted')
    const db = server.database.system()
    await db.updateTable('users').set({ status: 'not-confirmed' }).where('id', '=', squatter.id).execute()
    await settings({ trust_addresses: true })
    expect(await saml.signIn(testBrowser(server), person('squatted'))).toBe('/login?sso=account')
    await settings({ trust_addresses: false })
  })
})

describe('a second factor', () => {
  it('is asked for after single sign-on, unless the provider does that', async () => {
    const browser = testBrowser(server)
    const { id } = await browser.signIn(await saml.signIn(browser, person('careful')))
    const db = server.database.system()
    await db
      .updateTable('users')
      .set({ mfa_enabled: true })
      .where('id', '=', id as never)
      .execute()
    const held = await browser.exchange(await saml.signIn(browser, person('careful')))
    expect([held.status, held.headers.get('x-mfa-token')]).toEqual([401, expect.stringMatching(/^[\da-f-]{36}$/)])
    const page = await saml.signIn(browser, person('careful'))
    const existing = await server.fetch(auth.getUser.path, bearer(tokenOf(page)))
    expect([existing.status, existing.headers.get('x-mfa-token')]).toEqual([
      401,
      expect.stringMatching(/^[\da-f-]{36}$/),
    ])
    await settings({ provider_second_factor: true })
    expect((await browser.exchange(await saml.signIn(browser, person('careful')))).status).toBe(200)
    await settings({ provider_second_factor: false })
  })
})

describe('passwords', () => {
  it('can be switched off while SAML is on, and not both', async () => {
    await settings({ local: false })
    const login = () => server.client().call(auth.login, { body: { username: 'ada', password: PASSWORD } })
    expect(await outcome(login())).toBe('501 LOCAL_SIGN_IN_DISABLED')
    // Nor does any other way of this server lead in: the provider may have removed the person.
    const anyone = server.client()
    const person = { name: 'Ada', username: 'newcomer', email: 'new@example.com', password: PASSWORD }
    const others = [
      anyone.call(operations.mfa.recover, { body: { identifier: 'ada', recovery_code: 'aaaaaaaaaa' } }),
      anyone.call(operations.mfa.reset, {
        params: { 'user-id': admin.id },
        body: { main_email_code: 'a', recovery_email_code: 'b' },
      }),
      anyone.call(operations.users.register, { body: { ...person, email_marketing: false } }),
      anyone.call(operations.users.recoverPassword, { body: { username: 'ada' } }),
    ]
    const refused = others.map(() => '501 LOCAL_SIGN_IN_DISABLED')
    expect(await Promise.all(others.map(outcome))).toEqual(refused)
    expect(await outcome(settings({ saml: false }))).toBe('400 INVALID_INPUT saml')
    const other = (await createIdentityProvider('https://other.example.org')).metadata()
    const change = admin.client.call(singleSignOn.setProvider, { body: { metadata: other } })
    expect(await outcome(change)).toBe('400 INVALID_INPUT metadata')
    await settings({ local: true })
    expect(await outcome(login())).toBe('200')
  })
})
