// Sign-in by OpenID Connect through a running server, with real providers on loopback.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { generateKeyPairSync } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { redirectName } from '@bowline/contract/openid-redirect'
import type { OpenidProvider } from '@bowline/contract/operations/single-sign-on'
import { SignJWT, exportJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { disable, enable } from '../../administration/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { type TestBrowser, testBrowser } from '../testing/browser.ts'
import { CLIENT, type TestOpenidProvider, type TestPerson, startOpenidProvider } from './testing/provider.ts'

const { openid, singleSignOn, instance } = operations
const ORIGIN = 'https://bowline.example.com'
const CALLBACK = '/api/user/openid/callback'
const REFUSED = '/login?sso=answer'
let server: BootedServer
let admin: Person
let idp: TestOpenidProvider
let provider: OpenidProvider

beforeAll(async () => {
  idp = await startOpenidProvider(ORIGIN + CALLBACK)
  server = await bootServer({
    settings: {
      BOWLINE_PUBLIC_URL: ORIGIN,
      BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
    },
  })
  admin = await server.setUpAccount()
  provider = await add('Directory', idp.issuer)
})
afterAll(async () => {
  await server.close()
  await idp.close()
})

async function add(name: string, issuer: string): Promise<OpenidProvider> {
  return (await admin.client.call(openid.add, { body: { name, issuer, ...CLIENT } })).body
}

const grace: TestPerson = {
  sub: 'grace-1',
  email: 'grace@example.org',
  email_verified: true,
  name: 'Grace Hopper',
  groups: ['staff', 'navy'],
}

async function begin(browser: TestBrowser, id = provider.id, query = ''): Promise<URL> {
  const response = await browser.send(`/api/user/openid/${id}/auth${query}`)
  return new URL(((await response.json()) as { url: string }).url)
}

/** Goes to the provider and back. @returns the page of the console */
async function signIn(browser: TestBrowser, person: TestPerson, query = ''): Promise<string> {
  const back = await idp.authorize((await begin(browser, provider.id, query)).href, person)
  return browser.open(back.pathname + back.search)
}

describe('sign-in by OpenID Connect', () => {
  it('asks with PKCE, state and nonce, and creates an account', async () => {
    const browser = testBrowser(server)
    const { searchParams: asked } = await begin(browser)
    expect(asked.get('code_challenge_method')).toBe('S256')
    for (const name of ['code_challenge', 'state', 'nonce']) expect(asked.get(name)).toMatch(/^[\w-]{43}$/)
    expect(asked.get('redirect_uri')).toBe(`${ORIGIN}${CALLBACK}/${redirectName(idp.issuer)}`)
    expect(provider.redirect_url).toBe(asked.get('redirect_uri'))
    const signedIn = await browser.signIn(await signIn(browser, grace))
    expect(signedIn).toMatchObject({ email: 'grace@example.org', origin: 'OpenID', auth_methods: ['openid'] })
    const rows = await server.database.system().selectFrom('identities').selectAll().execute()
    expect(rows).toMatchObject([{ kind: 'openid', issuer: idp.issuer, subject: 'grace-1', groups: ['staff', 'navy'] }])
  })

  it('finds the account again by issuer and subject', async () => {
    const browser = testBrowser(server)
    const first = await browser.signIn(await signIn(browser, grace))
    const moved = { ...grace, email: 'moved@example.org', email_verified: false }
    expect((await browser.signIn(await signIn(browser, moved))).id).toBe(first.id)
  })

  it.each([undefined, false])('creates nothing for an address that nobody vouches for: %s', async (verified) => {
    const { email_verified: _, ...rest } = { ...grace, sub: 'unverified', email: 'unverified@example.org' }
    const person = verified === undefined ? rest : { ...rest, email_verified: verified }
    expect(await signIn(testBrowser(server), person)).toBe('/login?sso=address')
  })

  it('does not link an existing account by an address that nobody vouches for, even where addresses are trusted', async () => {
    await server.addPerson('linus')
    await admin.client.call(singleSignOn.update, { body: { trust_addresses: true } })
    const person = { sub: 'linus-1', email: 'linus@example.com', email_verified: false }
    expect(await signIn(testBrowser(server), person)).toMatch(/^\/sign-in\/link\?/)
    await admin.client.call(singleSignOn.update, { body: { trust_addresses: false } })
  })

  it('does not link an account whose person has set the address without a proof, even where addresses are trusted', async () => {
    const { id } = await server.addPerson('mallory')
    const unproven = (email_unproven: boolean) =>
      server.database.system().updateTable('users').set({ email_unproven }).where('id', '=', id).execute()
    await admin.client.call(singleSignOn.update, { body: { trust_addresses: true } })
    const person = { sub: 'victim-1', email: 'mallory@example.com', email_verified: true }
    await unproven(true)
    expect(await signIn(testBrowser(server), person)).toMatch(/^\/sign-in\/link\?/)
    await unproven(false)
    const browser = testBrowser(server)
    expect((await browser.signIn(await signIn(browser, person))).id).toBe(id)
    await admin.client.call(singleSignOn.update, { body: { trust_addresses: false } })
  })

  it('needs an address', async () => {
    expect(await signIn(testBrowser(server), { sub: 'nameless' })).toBe('/login?missing_assertions=email')
  })

  it('refuses a disabled account, and does not make another of its address', async () => {
    const dora = { ...grace, sub: 'dora-1', email: 'dora@example.org', name: 'Dora' }
    const browser = testBrowser(server)
    const { id } = await browser.signIn(await signIn(browser, dora))
    await disable(admin, { id: id as Person['id'] })
    expect(await signIn(testBrowser(server), dora)).toBe('/login?sso=account')
    expect(await signIn(testBrowser(server), { ...dora, sub: 'dora-2' })).toBe('/login?sso=account')
    await enable(admin, { id: id as Person['id'] })
    const again = testBrowser(server)
    expect((await again.signIn(await signIn(again, dora))).id).toBe(id)
  })

  it('leads to the page that was asked for, not to other sites', async () => {
    expect(await signIn(testBrowser(server), grace, '?next=/devices')).toContain('&redirect=%2Fdevices')
    expect(await signIn(testBrowser(server), grace, '?next=//evil.example')).not.toContain('redirect')
  })
})

describe('an answer of an OpenID provider', () => {
  it('belongs to the browser that asked, and works once', async () => {
    const browser = testBrowser(server)
    const back = await idp.authorize((await begin(browser)).href, grace)
    const path = back.pathname + back.search
    expect(await testBrowser(server).open(path)).toBe('/login?sso=request')
    expect(await browser.open(path)).toContain('token=')
    expect(await browser.open(path)).toBe('/login?sso=request')
  })

  it('has the state of a request', async () => {
    const browser = testBrowser(server)
    const back = await idp.authorize((await begin(browser)).href, grace)
    back.searchParams.set('state', 'another')
    expect(await browser.open(back.pathname + back.search)).toBe('/login?sso=request')
    back.searchParams.append('state', 'second')
    expect(await browser.open(back.pathname + back.search)).toBe('/login?sso=request')
  })

  it('names its issuer: one of another provider is a mix-up', async () => {
    const browser = testBrowser(server)
    const back = await idp.authorize((await begin(browser)).href, grace)
    back.searchParams.set('iss', 'https://other.example.org')
    expect(await browser.open(back.pathname + back.search)).toBe(REFUSED)
  })

  it('is refused with a code of another request', async () => {
    const [first, second] = [testBrowser(server), testBrowser(server)]
    const stolen = await idp.authorize((await begin(first)).href, grace)
    const own = await idp.authorize((await begin(second)).href, grace)
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect(await second.open(own.pathname + own.search)).toBe(REFUSED)
  })

  it('may be a failure', async () => {
    const browser = testBrowser(server)
    const state = (await begin(browser)).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', state, iss: idp.issuer })
    expect(await browser.open(`${CALLBACK}/${redirectName(idp.issuer)}?${query}`)).toBe(REFUSED)
  })
})

describe('an ID token', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  let issuer: string
  let claims: Record<string, unknown> = {}
  let key = privateKey
  let algorithm = 'RS256'
  /** The provider's other answer about the person. */
  let userInfo: Record<string, unknown> = {}
  /** Times that the provider was asked for tokens. */
  let tokens = 0
  const fake = createServer((request, response) => {
    const send = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    const { pathname } = new URL(request.url ?? '', issuer)
    if (pathname === '/.well-known/openid-configuration') {
      return void send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
      })
    }
    if (pathname === '/jwks') {
      return void exportJWK(publicKey).then((jwk) => send({ keys: [{ ...jwk, kid: 'k', use: 'sig', alg: 'RS256' }] }))
    }
    if (pathname === '/userinfo') return void send(userInfo)
    tokens += 1
    const now = Math.floor(Date.now() / 1_000)
    const whole = {
      sub: 'x',
      email: 'token@example.org',
      email_verified: true,
      name: 'Token',
      iat: now,
      exp: now + 300,
    }
    void new SignJWT({ ...whole, ...claims })
      .setProtectedHeader({ alg: algorithm, kid: 'k' })
      .sign(algorithm === 'HS256' ? Buffer.from(CLIENT.client_secret) : key)
      .then((token) => send({ access_token: 'x', token_type: 'Bearer', id_token: token }))
  })
  let made: OpenidProvider
  beforeAll(async () => {
    fake.listen(0, '127.0.0.1')
    await once(fake, 'listening')
    issuer = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
    made = await add('By hand', issuer)
  })
  afterAll(() => fake.close())

  async function signInWith(change: (good: Record<string, unknown>) => Record<string, unknown>): Promise<string> {
    const browser = testBrowser(server)
    const { searchParams: asked } = await begin(browser, made.id)
    claims = change({ iss: issuer, aud: CLIENT.client_id, nonce: asked.get('nonce') })
    return browser.open(`${CALLBACK}/${redirectName(issuer)}?code=x&state=${asked.get('state')}`)
  }

  it('is not asked for when another provider answers, which sends no iss: a mix-up', async () => {
    const browser = testBrowser(server)
    const state = (await begin(browser, made.id)).searchParams.get('state')
    const before = tokens
    expect(await browser.open(`${CALLBACK}/${redirectName(idp.issuer)}?code=x&state=${state}`)).toBe(
      '/login?sso=request',
    )
    expect(await browser.open(`${CALLBACK}/${redirectName(issuer)}?code=x&state=${state}`)).toBe('/login?sso=request')
    expect(tokens).toBe(before)
  })

  it('is accepted when everything fits', async () => {
    expect(await signInWith((good) => good)).toContain('token=')
  })

  it.each([
    {
      what: 'the ID token has an address without a word on it',
      token: { email: 'mixed@example.org', email_verified: undefined },
      info: { email: 'other@example.org', email_verified: true },
      address: 'other@example.org',
    },
    {
      what: 'the ID token vouches for no address of its own',
      token: { email: undefined, email_verified: true },
      info: { email: 'victim@example.org' },
      address: undefined,
    },
    {
      what: 'the other answer vouches for its own',
      token: { email: undefined, email_verified: false },
      info: { email: 'vouched@example.org', email_verified: true },
      address: 'vouched@example.org',
    },
  ])('has address and verification of one answer: $what', async ({ what, token, info, address }) => {
    userInfo = { sub: what, groups: ['any'], ...info }
    await admin.client.call(openid.update, {
      params: { id: made.id },
      body: { roles: [{ group: 'any', namespace: admin.namespace, role: 'observer' }] },
    })
    const page = await signInWith((good) => ({ ...good, sub: what, ...token }))
    await admin.client.call(openid.update, { params: { id: made.id }, body: { roles: [] } })
    const holder = await server.database
      .system()
      .selectFrom('identities')
      .innerJoin('users', 'users.id', 'identities.user_id')
      .select('users.email')
      .where('identities.subject', '=', what)
      .executeTakeFirst()
    expect([page.includes('token='), holder?.email]).toEqual([address !== undefined, address])
  })

  it.each([
    ['the issuer', { iss: 'https://other.example.org' }],
    ['the audience', { aud: 'somebody-else' }],
    ['the nonce', { nonce: 'another' }],
    ['the length of the subject', { sub: 'x'.repeat(300) }],
    ['a character of the subject', { sub: 'a\0b' }],
    ['the end', { exp: 1 }],
  ])('is refused when %s is wrong', async (_, wrong) => {
    expect(await signInWith((good) => ({ ...good, ...wrong }))).toBe(REFUSED)
  })

  it('is refused without a nonce', async () => {
    expect(await signInWith((good) => ({ ...good, nonce: undefined }))).toBe(REFUSED)
  })

  it('is refused when another key has signed it, or the client secret', async () => {
    key = foreign.privateKey
    expect(await signInWith((good) => good)).toBe(REFUSED)
    algorithm = 'HS256'
    expect(await signInWith((good) => good)).toBe(REFUSED)
  })
})

describe('signing out', () => {
  it('leads to the provider and back to the sign-in page, unless it is not to be offered', async () => {
    const address = async () => (await server.client().call(openid.signOut, { params: { id: provider.id } })).body.url
    const { origin, pathname, searchParams } = new URL(await address())
    expect([origin, pathname]).toEqual([idp.issuer, '/session/end'])
    expect(searchParams.get('client_id')).toBe(CLIENT.client_id)
    expect(searchParams.get('post_logout_redirect_uri')).toBe(`${ORIGIN}/sign-in`)
    const params = { id: provider.id }
    const { body } = await admin.client.call(openid.update, { params, body: { sign_out: false } })
    expect([body.sign_out, await address()]).toEqual([false, ''])
    await admin.client.call(openid.update, { params, body: { sign_out: true } })
    expect(await address()).not.toBe('')
  })

  it('finds the provider again by the page after the sign-in', async () => {
    const page = new URL(
      await signIn(testBrowser(server), { ...grace, sub: 'leaver', email: 'leaver@example.org' }),
      ORIGIN,
    )
    expect(page.searchParams.get('provider')).toBe(provider.id)
  })
})

describe('administrators', () => {
  it('see a provider in the public description only while it is on', async () => {
    const names = async () =>
      (await server.client().call(instance.info, {})).body.authentication.openid.map((one) => one.name)
    expect(await names()).toContain('Directory')
    await admin.client.call(openid.update, { params: { id: provider.id }, body: { enabled: false } })
    expect(await names()).not.toContain('Directory')
    expect((await testBrowser(server).send(`/api/user/openid/${provider.id}/auth`)).status).toBe(404)
    await admin.client.call(openid.update, { params: { id: provider.id }, body: { enabled: true } })
  })

  it('test the discovery document, and get the reason of a failure', async () => {
    const { body } = await admin.client.call(openid.test, { params: { id: provider.id } })
    expect(body.authorization_endpoint).toBe(`${idp.issuer}/auth`)
    for (const issuer of ['http://169.254.169.254', 'http://10.0.0.1', 'https://127.0.0.2']) {
      const { id } = await add(`At ${issuer}`, issuer)
      const tested = admin.client.call(openid.test, { params: { id } })
      expect(await outcome(tested)).toBe('424 IDENTITY_PROVIDER_FAILED')
    }
  })

  it('cannot take the last way to sign in away', async () => {
    const db = server.database.system()
    await db.updateTable('openid_providers').set({ enabled: false }).where('id', '<>', provider.id).execute()
    await admin.client.call(singleSignOn.update, { body: { local: false } })
    const params = { id: provider.id }
    const off = admin.client.call(openid.update, { params, body: { enabled: false } })
    expect(await outcome(off)).toBe('400 INVALID_INPUT enabled')
    expect(await outcome(admin.client.call(openid.remove, { params }))).toBe('400 INVALID_INPUT enabled')
    await admin.client.call(singleSignOn.update, { body: { local: true } })
    expect(await outcome(admin.client.call(openid.remove, { params }))).toBe('200')
  })

  it('never get a client secret back', async () => {
    const secret = 'only-for-the-provider-0123456789'
    const body = { name: 'Secretive', issuer: idp.issuer, client_id: 'x', client_secret: secret }
    await admin.client.call(openid.add, { body })
    expect(JSON.stringify((await admin.client.call(singleSignOn.settings, {})).body)).not.toContain(secret)
  })
})
