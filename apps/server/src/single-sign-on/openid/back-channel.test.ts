// Logout tokens of OpenID providers: from a real provider, and by hand for what a real one does not send.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { generateKeyPairSync } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { type JWTPayload, SignJWT, exportJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { addFactor } from '../../mfa/testing.ts'
import { unique } from '../../registration/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { type TestBrowser, testBrowser } from '../testing/browser.ts'
import { CLIENT, type TestOpenidProvider, type TestPerson, startOpenidProvider } from './testing/provider.ts'

const { openid, auth, mfa } = operations
const ORIGIN = 'https://bowline.example.com'
let server: BootedServer
let admin: Person
let idp: TestOpenidProvider
let provider = ''

beforeAll(async () => {
  idp = await startOpenidProvider(`${ORIGIN}/api/user/openid/callback`)
  server = await bootServer({
    settings: {
      BOWLINE_PUBLIC_URL: ORIGIN,
      BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
      BOWLINE_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  admin = await server.setUpAccount()
  const { body } = await admin.client.call(openid.add, { body: { name: 'Directory', issuer: idp.issuer, ...CLIENT } })
  provider = body.id
  idp.logoutAddress = `${server.origin}/api/user/openid/${provider}/backchannel-logout`
})
afterAll(async () => {
  await server.close()
  await idp.close()
})

const person = (): TestPerson => {
  const name = unique()
  return { sub: name, email: `${name}@example.org`, email_verified: true, name }
}
async function arrive(browser: TestBrowser, who: TestPerson): Promise<string> {
  const { url } = (await (await browser.send(`/api/user/openid/${provider}/auth`)).json()) as { url: string }
  const back = await idp.authorize(url, who)
  return browser.open(back.pathname + back.search)
}
const signIn = async (browser: TestBrowser, who: TestPerson): Promise<UserAuth> =>
  browser.signIn(await arrive(browser, who))
const lives = async ({ token }: UserAuth): Promise<boolean> =>
  (await outcome(server.client(token).call(auth.getUser, {}))) === '200'
const renews = async (browser: TestBrowser): Promise<number> =>
  (await browser.send(auth.refreshSession.path, { method: 'POST' })).status
async function sessionsOf({ sub }: TestPerson) {
  const rows = server.database.system().selectFrom('provider_sessions').selectAll().where('subject', '=', sub)
  return rows.orderBy('created_at').execute()
}
const post = async (token: string, id = provider, headers: Record<string, string> = {}): Promise<number> =>
  (
    await server.fetch(`/api/user/openid/${id}/backchannel-logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })
  ).status

describe('a session that ends at the provider', () => {
  it('is heard when it is one of many, beyond the limit of sign-ins', async () => {
    const from = { 'x-forwarded-for': '203.0.113.5' }
    const statuses = await Promise.all(Array.from({ length: 150 }, () => post('not.a.token', provider, from)))
    expect([...new Set(statuses)]).toEqual([400])
  })

  it('ends the sign-in that came of it, and no other', async () => {
    const [browser, other] = [testBrowser(server), testBrowser(server)]
    const who = person()
    const first = await signIn(browser, who)
    const second = await signIn(other, who)
    const [ended] = await sessionsOf(who)
    await idp.endSession(who.sub, ended?.sid ?? '')
    expect([await lives(first), await renews(browser)]).toEqual([false, 401])
    expect([await lives(second), await renews(other)]).toEqual([true, 200])
    const token = idp.logoutTokens.at(-1) ?? ''
    expect([await post(token), await lives(second)]).toEqual([400, true])
  })

  it('ends the token of a program that exchanged it', async () => {
    const browser = testBrowser(server)
    const who = person()
    const token = new URL(await arrive(browser, who), ORIGIN).searchParams.get('token') ?? ''
    const signedIn = (await server.client(token).call(auth.getUser, {})).body
    expect(await lives(signedIn)).toBe(true)
    await idp.endSession(who.sub, (await sessionsOf(who))[0]?.sid ?? '')
    expect(await lives(signedIn)).toBe(false)
  })

  it('ends what has not become a sign-in yet', async () => {
    const browser = testBrowser(server)
    const who = person()
    const page = await arrive(browser, who)
    await idp.endSession(who.sub, (await sessionsOf(who))[0]?.sid ?? '')
    expect((await browser.exchange(page)).status).toBe(401)
  })

  it('ends a sign-in that a second factor has completed, or waits for one', async () => {
    const who = person()
    const { token } = await signIn(testBrowser(server), who)
    const { recoveryCodes } = await addFactor(server.client(token), systemClock)
    const begin = async (browser: TestBrowser): Promise<string> => {
      const { headers } = await browser.exchange(await arrive(browser, who))
      return headers.get('x-mfa-token') ?? ''
    }
    const finish = async (browser: TestBrowser, waiting: string, index: number): Promise<Response> =>
      browser.send(mfa.finishSession.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: waiting, recovery_code: recoveryCodes[index] }),
      })
    const [done, waits] = [testBrowser(server), testBrowser(server)]
    expect((await finish(done, await begin(done), 0)).status).toBe(200)
    const waiting = await begin(waits)
    const sids = (await sessionsOf(who)).map(({ sid }) => sid ?? '').slice(1)
    for (const sid of sids) await idp.endSession(who.sub, sid)
    expect([await renews(done), (await finish(waits, waiting, 1)).status]).toEqual([401, 401])
  })

  it('ends with a sign-in that begins at the same moment, whichever is first', async () => {
    const people = Array.from({ length: 12 }, () => ({ browser: testBrowser(server), who: person() }))
    const pages = await Promise.all(people.map(({ browser, who }) => arrive(browser, who)))
    const sids = await Promise.all(people.map(async ({ who }) => (await sessionsOf(who))[0]?.sid ?? ''))
    const answers = await Promise.all(
      people.flatMap(({ browser, who }, index) => [
        browser.exchange(pages[index] ?? '').then(({ status }) => status),
        idp.endSession(who.sub, sids[index] ?? '').then(() => 200),
      ]),
    )
    expect(answers.filter((status) => ![200, 401].includes(status))).toEqual([])
    expect(await Promise.all(people.map(({ browser }) => renews(browser)))).toEqual(people.map(() => 401))
  })
})

describe('a logout token', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  let issuer = ''
  let made = ''
  const fake = createServer((request, response) => {
    const send = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    if (request.url === '/jwks') {
      return void exportJWK(publicKey).then((jwk) => send({ keys: [{ ...jwk, kid: 'k', use: 'sig', alg: 'RS256' }] }))
    }
    const endpoints = {
      authorization_endpoint: `${issuer}/a`,
      token_endpoint: `${issuer}/t`,
      jwks_uri: `${issuer}/jwks`,
    }
    return void send({ issuer, ...endpoints })
  })
  beforeAll(async () => {
    fake.listen(0, '127.0.0.1')
    await once(fake, 'listening')
    issuer = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
    made = (await admin.client.call(openid.add, { body: { name: 'By hand', issuer, ...CLIENT } })).body.id
  })
  afterAll(() => fake.close())

  const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
  const now = () => Math.floor(Date.now() / 1_000)
  const good = (): JWTPayload => ({
    iss: issuer,
    aud: CLIENT.client_id,
    iat: now(),
    jti: unique(),
    sub: 'somebody',
    events: { [EVENT]: {} },
  })
  const sign = (
    claims: Readonly<Record<string, unknown>>,
    header: { typ?: string; alg?: string } = {},
    key = privateKey,
  ): Promise<string> =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'logout+jwt', ...header })
      .sign(header.alg === 'HS256' ? Buffer.from(CLIENT.client_secret) : key)

  it('is accepted once when everything fits, with a subject or a session', async () => {
    const token = await sign(good())
    expect(await post(token, made)).toBe(200)
    expect(await post(token, made)).toBe(400)
    expect(await post(await sign({ ...good(), sub: undefined, sid: 'one' }), made)).toBe(200)
    expect(await Promise.all([token, token].map(() => post(token, made)))).toEqual([400, 400])
  })

  it('is accepted once of many at a time', async () => {
    const token = await sign(good())
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(token, made)))
    expect(answers.filter((status) => status === 200)).toHaveLength(1)
  })

  it.each([
    ['the issuer', { iss: 'https://other.example.org' }],
    ['the audience', { aud: 'somebody-else' }],
    ['the time, which is too long ago', { iat: 1 }],
    ['the time, which is in the future', { iat: 4_000_000_000 }],
    ['the end', { exp: 1 }],
    ['the events', { events: { other: {} } }],
    ['the event', { events: { [EVENT]: 'yes' } }],
  ])('is refused when %s is wrong', async (_, wrong) => {
    expect(await post(await sign({ ...good(), ...wrong }), made)).toBe(400)
  })

  it.each(['iss', 'aud', 'iat', 'jti', 'sub', 'events'])('is refused without %s', async (name) => {
    expect(await post(await sign({ ...good(), [name]: undefined }), made)).toBe(400)
  })

  it('is refused with a nonce, and as another kind of token', async () => {
    expect(await post(await sign({ ...good(), nonce: 'n' }), made)).toBe(400)
    expect(await post(await sign(good(), { typ: 'at+jwt' }), made)).toBe(400)
  })

  it('is refused when another key has signed it, the client secret, or nobody', async () => {
    expect(await post(await sign(good(), {}, foreign), made)).toBe(400)
    expect(await post(await sign(good(), { alg: 'HS256' }), made)).toBe(400)
    const [, payload] = (await sign(good())).split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    expect(await post(`${none}.${payload}.`, made)).toBe(400)
  })

  it('is for the provider of its address, which exists', async () => {
    expect(await post(await sign(good()), provider)).toBe(400)
    expect(await post(await sign(good()), '00000000-0000-4000-8000-000000000000')).toBe(404)
    expect(await post(await sign(good()), 'none')).toBe(404)
  })
})

describe('signing out at the provider', () => {
  it('names the session by the ID token of the browser’s sign-in, to this browser alone', async () => {
    const browser = testBrowser(server)
    await signIn(browser, person())
    const path = `/api/user/openid/${provider}/logout`
    const hintOf = async (one: TestBrowser) => {
      const { url } = (await (await one.send(path)).json()) as { url: string }
      return new URL(url).searchParams.get('id_token_hint')
    }
    await browser.send(auth.deleteSession.path, { method: 'DELETE' })
    const hint = await hintOf(browser)
    expect(hint?.split('.')).toHaveLength(3)
    expect(await hintOf(testBrowser(server))).toBeNull()
    const rows = await server.database.system().selectFrom('provider_sessions').select('sealed').execute()
    expect(rows.some(({ sealed }) => sealed?.includes(hint ?? ''))).toBe(false)
    const answer = await fetch(`${idp.issuer}/session/end?${new URLSearchParams({ id_token_hint: hint ?? '' })}`)
    expect(answer.status).toBe(200)
  })
})
