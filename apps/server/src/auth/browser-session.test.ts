// Browser sessions over HTTP with a manual clock: refresh cookie, rotation and end.
import { generateKeyPairSync } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { testMailQueue } from '../mails/testing/queue.ts'
import { randomIds } from '../platform/ids.ts'
import { silentLog } from '../platform/log.ts'
import { type BootedServer, PASSWORD, type Person, bootServer } from '../testing/boot.ts'
import { getAccount } from '../users/service.ts'
import { createPasswordHasher } from './password-hashes/passwords.ts'
import { startBrowserSession } from './service.ts'
import { createTokenIssuer } from './tokens.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** Grace period during which an exchanged cookie still leads to its successor. */
const GRACE = 30_000
const { createSession, refreshSession } = operations.auth
let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({
    clock,
    settings: { BOWLINE_TRUSTED_PROXIES: '127.0.0.1', BOWLINE_ALLOWED_HOSTS: 'a.example' },
  })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())
// Each test signs in once or twice, within the rate limit per source.
beforeEach(() => clock.advance(MINUTE))

interface Answer {
  readonly status: number
  readonly auth: UserAuth
  /** Complete Set-Cookie header of the refresh cookie; '' without one. */
  readonly setCookie: string
  /** `name=value` for the next request. */
  readonly cookie: string
}

async function send(path: string, init: RequestInit): Promise<Answer> {
  const response = await server.fetch(path, init)
  const setCookie = response.headers.getSetCookie()[0] ?? ''
  const text = await response.text()
  const auth = (text === '' ? {} : JSON.parse(text)) as UserAuth
  return { status: response.status, auth, setCookie, cookie: setCookie.split(';')[0] ?? '' }
}

function signIn(headers: Record<string, string> = {}, username = 'ada'): Promise<Answer> {
  const body = JSON.stringify({ username, password: PASSWORD })
  return send(createSession.path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
}
const refresh = (cookie: string, headers: Record<string, string> = {}) =>
  send(refreshSession.path, { method: 'POST', headers: { cookie, ...headers } })
const signOut = (cookie: string, headers: Record<string, string> = {}) =>
  send(createSession.path, { method: 'DELETE', headers: { cookie, ...headers } })
const statusWith = async (token: string) =>
  (await server.fetch('/api/stats', { headers: { authorization: `Bearer ${token}` } })).status

it('makes no source known by a renewal: a stolen cookie must not raise the limit of guesses', async () => {
  const signedIn = await signIn({ 'x-forwarded-for': '203.0.113.1' })
  expect((await refresh(signedIn.cookie, { 'x-forwarded-for': '203.0.113.2' })).status).toBe(200)
  const known = await server.database.system().selectFrom('known_sources').select('source').execute()
  expect(known).toContainEqual({ source: '203.0.113.1' })
  expect(known).not.toContainEqual({ source: '203.0.113.2' })
})

describe('browser session', () => {
  it('sets an HttpOnly, SameSite=Strict refresh cookie', async () => {
    const { status, setCookie } = await signIn()
    expect(status).toBe(200)
    expect(setCookie).toMatch(/^bowline=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/)
  })

  it('sets a Secure refresh cookie with the __Host- prefix over https', async () => {
    const https = { 'x-forwarded-proto': 'https' }
    const { setCookie, cookie } = await signIn(https)
    expect(setCookie).toMatch(/^__Host-bowline=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    expect((await refresh(cookie, https)).status).toBe(200)
  })

  it('stores no refresh cookie in plain text', async () => {
    const { cookie } = await signIn()
    const rows = await server.database.system().selectFrom('refresh_tokens').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(cookie.slice('bowline='.length))
  })

  it('sends the sign-in headers on every response of POST /api/auth/session', async () => {
    for (const password of [PASSWORD, 'wrong']) {
      const response = await server.fetch(createSession.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'ada', password }),
      })
      expect([response.headers.get('x-account-lockout'), response.headers.get('x-mfa-token')]).toEqual(['0', ''])
    }
  })

  it('issues browser-session tokens that expire after ten minutes', async () => {
    const { auth } = await signIn()
    expect(await statusWith(auth.token)).toBe(200)
    clock.advance(11 * MINUTE)
    expect(await statusWith(auth.token)).toBe(401)
  })

  it('caps renewed browser-session tokens at the expiry of the first', async () => {
    const { auth } = await signIn()
    clock.advance(9 * MINUTE)
    const { body } = await server.client(auth.token).call(operations.auth.getUser, {})
    const swap = { params: { tenant: ada.tenant } }
    const { body: swapped } = await server.client(auth.token).call(operations.auth.switchNamespace, swap)
    clock.advance(2 * MINUTE + 1_000)
    expect(await statusWith(body.token)).toBe(401)
    expect(await statusWith(swapped.token)).toBe(401)
  })

  it('expires a browser session 30 days after its last refresh', async () => {
    const first = await signIn()
    clock.advance(29 * DAY)
    const second = await refresh(first.cookie)
    expect(second.status).toBe(200)
    clock.advance(29 * DAY)
    const third = await refresh(second.cookie)
    expect(third.status).toBe(200)
    clock.advance(30 * DAY)
    expect((await refresh(third.cookie)).status).toBe(401)
  })
})

describe('refresh of a browser session', () => {
  it('issues a new token and a new cookie on refresh', async () => {
    const first = await signIn()
    const second = await refresh(first.cookie)
    expect(second.cookie).toMatch(/^bowline=[\w-]{43}$/)
    expect(second.cookie).not.toBe(first.cookie)
    expect(second.auth).toMatchObject({ user: 'ada', tenant: ada.tenant })
    expect(await statusWith(second.auth.token)).toBe(200)
    expect((await refresh(second.cookie)).status).toBe(200)
  })

  it('ends the session, its tokens and its newest cookie when an exchanged cookie is replayed', async () => {
    const other = await signIn()
    const first = await signIn()
    const second = await refresh(first.cookie)
    clock.advance(GRACE + 1_000)
    const replayed = await refresh(first.cookie)
    expect(replayed.status).toBe(401)
    expect(replayed.setCookie).toMatch(/^bowline=; .*Expires=Thu, 01 Jan 1970/)
    expect(await statusWith(first.auth.token)).toBe(401)
    expect(await statusWith(second.auth.token)).toBe(401)
    expect((await refresh(second.cookie)).status).toBe(401)
    expect(await statusWith(other.auth.token)).toBe(200)
  })

  it('returns the same new cookie when a refresh is retried', async () => {
    const first = await signIn()
    const [second, again] = [await refresh(first.cookie), await refresh(first.cookie)]
    expect([again.status, again.cookie]).toEqual([200, second.cookie])
    expect([await statusWith(second.auth.token), await statusWith(again.auth.token)]).toEqual([200, 200])
    expect((await refresh(again.cookie)).status).toBe(200)
  })

  it('returns one new cookie to thirty concurrent refreshes', async () => {
    const { cookie } = await signIn()
    const answers = await Promise.all(Array.from({ length: 30 }, () => refresh(cookie)))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(30).fill(200))
    expect(new Set(answers.map((answer) => answer.cookie)).size).toBe(1)
    expect((await refresh(answers[0]?.cookie ?? '')).status).toBe(200)
  })

  it('returns the newest cookie to a late refresh', async () => {
    const first = await signIn()
    const second = await refresh(first.cookie)
    const third = await refresh(second.cookie)
    expect((await refresh(first.cookie)).cookie).toBe(third.cookie)
  })

  it('ends the session at once when another browser presents an exchanged cookie', async () => {
    const first = await signIn({ 'user-agent': 'the owner' })
    const second = await refresh(first.cookie, { 'user-agent': 'the owner' })
    expect((await refresh(first.cookie, { 'user-agent': 'a thief' })).status).toBe(401)
    expect((await refresh(second.cookie, { 'user-agent': 'the owner' })).status).toBe(401)
  })

  it.each(['', 'bowline=', 'bowline=nonsense', 'other=1', `bowline=${'a'.repeat(3_000)}`])(
    'answers a refresh with the cookie header "%s" with 401',
    async (cookie) => {
      expect((await refresh(cookie)).status).toBe(401)
    },
  )

  it('refuses a refresh for a user who is no longer confirmed', async () => {
    await server.addPerson('leaving')
    const { cookie } = await signIn({}, 'leaving')
    const users = server.database.system().updateTable('users')
    await users.set({ status: 'not-confirmed' }).where('username', '=', 'leaving').execute()
    expect((await refresh(cookie)).status).toBe(401)
  })

  it('moves to another namespace on refresh when the membership has ended', async () => {
    const guest = await server.addPerson('guest')
    await server.addMember(ada.tenant, guest.id, 'observer')
    const { auth, cookie } = await signIn({}, 'guest')
    await server.client(auth.token).call(operations.auth.switchNamespace, { params: { tenant: ada.tenant } })
    await server.removeMember(ada.tenant, guest.id)
    expect((await refresh(cookie)).auth).toMatchObject({ tenant: guest.tenant, role: 'owner' })
  })
})

describe('sign-out of a browser session', () => {
  it('ends the refresh cookie and its tokens, and clears the cookie, on sign-out', async () => {
    const first = await signIn()
    const second = await refresh(first.cookie)
    const gone = await signOut(second.cookie)
    expect([gone.status, gone.setCookie]).toEqual([200, expect.stringMatching(/^bowline=; .*Path=\/.*HttpOnly/)])
    expect(await statusWith(first.auth.token)).toBe(401)
    expect(await statusWith(second.auth.token)).toBe(401)
    expect((await refresh(second.cookie)).status).toBe(401)
  })

  it('refuses a session for a sign-in that races with a password change', async () => {
    const person = await server.addPerson('changing')
    const db = server.database.system()
    const account = await getAccount(db, person.id)
    if (!account) throw new Error('the account is gone')
    const body = { password: 'another-password', current_password: PASSWORD }
    await person.client.call(operations.users.update, { body })
    const passwords = await createPasswordHasher()
    const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const tokens = createTokenIssuer(keys, clock)
    const deps = {
      db,
      clock,
      log: silentLog,
      ids: randomIds,
      passwords,
      tokens,
      maximumLockoutMinutes: 60,
      refreshSecret: 'x',
      mails: testMailQueue(),
      isLocalSignInOn: () => Promise.resolve(true),
      secondSteps: () => Promise.resolve([]),
      linkProposed: () => Promise.resolve(undefined),
    }
    // The old password was verified before the change; the session starts after it.
    const late = startBrowserSession(deps, account, { source: '192.0.2.1', userAgent: '' })
    await expect(late).rejects.toMatchObject({ code: 'BAD_CREDENTIALS' })
  })

  it('keeps other sessions and API tokens on sign-out', async () => {
    const other = await signIn()
    await signOut((await signIn()).cookie)
    expect(await statusWith(other.auth.token)).toBe(200)
    const { body } = await server
      .client()
      .call(operations.auth.login, { body: { username: 'ada', password: PASSWORD } })
    expect(await statusWith(body.token)).toBe(200)
  })

  it('answers a sign-out without a session with 200', async () => {
    expect((await signOut('')).status).toBe(200)
    expect((await signOut('bowline=nonsense')).status).toBe(200)
  })

  it('leaves no valid token when sign-out and refresh race', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { cookie } = await signIn()
      const [refreshed] = await Promise.all([refresh(cookie), signOut(cookie)])
      // In either order, no token from the refresh outlives the sign-out.
      expect(await statusWith(refreshed.auth.token ?? '')).toBe(401)
      expect((await refresh(refreshed.cookie)).status).toBe(401)
    }
  })
})

describe('origin of a request', () => {
  const host = () => new URL(server.origin).host

  it.each<[string, () => Record<string, string>]>([
    ['no browser', () => ({})],
    ['this page', () => ({ origin: server.origin, 'sec-fetch-site': 'same-origin' })],
    ['the address bar', () => ({ 'sec-fetch-site': 'none' })],
    ['this page behind a proxy that ends TLS', () => ({ origin: `https://${host()}` })],
    [
      'a page whose host carries an explicit port',
      () => ({ origin: 'https://a.example', 'x-forwarded-host': 'A.example:443' }),
    ],
  ])('accepts session requests from %s', async (_, headers) => {
    const { status, cookie } = await signIn(headers())
    expect(status).toBe(200)
    const refreshed = await refresh(cookie, headers())
    expect(refreshed.status).toBe(200)
    expect((await signOut(refreshed.cookie, headers())).status).toBe(200)
  })

  it.each<[string, () => Record<string, string>]>([
    ['another site', () => ({ origin: 'https://evil.example' })],
    ['another port of this host', () => ({ origin: 'http://127.0.0.1:1' })],
    ['another host of this site', () => ({ 'sec-fetch-site': 'same-site' })],
    ['another site that hides itself', () => ({ origin: 'null' })],
    ['another site, by Sec-Fetch-Site alone', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['an unreadable origin', () => ({ origin: 'nonsense' })],
  ])('refuses session requests from %s', async (_, headers) => {
    const { cookie } = await signIn()
    for (const answer of [
      await signIn(headers()),
      await refresh(cookie, headers()),
      await signOut(cookie, headers()),
    ]) {
      expect([answer.status, answer.auth, answer.setCookie]).toMatchObject([403, { code: 'ORIGIN_REFUSED' }, ''])
    }
    expect((await refresh(cookie)).status).toBe(200)
  })
})

describe('namespace switch in a browser session', () => {
  it('moves the whole browser session to the new namespace', async () => {
    const both = await server.addPerson('both')
    await server.addMember(ada.tenant, both.id, 'operator')
    const { auth, cookie } = await signIn({}, 'both')
    const swap = { params: { tenant: ada.tenant } }
    const { body } = await server.client(auth.token).call(operations.auth.switchNamespace, swap)
    expect(body).toMatchObject({ tenant: ada.tenant, role: 'operator' })
    const refreshed = await refresh(cookie)
    expect(refreshed.auth).toMatchObject({ tenant: ada.tenant, role: 'operator' })
    await signOut(refreshed.cookie)
    expect(await statusWith(body.token)).toBe(401)
  })
})

describe('clean-up', () => {
  it('removes expired refresh tokens and keeps valid ones', async () => {
    await signIn()
    clock.advance(31 * DAY)
    const { cookie } = await signIn()
    clock.advance(10 * MINUTE)
    await expect
      .poll(async () => {
        const rows = server.database.system().selectFrom('refresh_tokens').select('expires_at')
        return (await rows.execute()).filter(({ expires_at }) => expires_at.getTime() < clock.now()).length
      })
      .toBe(0)
    expect((await refresh(cookie)).status).toBe(200)
  })
})
