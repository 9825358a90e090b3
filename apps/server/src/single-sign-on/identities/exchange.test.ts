// The one-use token of a single sign-on as existing clients use it: a bearer of the call that tells who is signed in.
import { operations } from '@bowline/contract/operations'
import { systemClock as clock } from '@bowline/base/clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../../testing/boot.ts'
import { createIdentityProvider } from '../saml/testing/identity-provider.ts'
import { ORIGIN, type SamlSignIns, samlSignIns } from '../saml/testing/sign-in.ts'
import { type TestBrowser, testBrowser, tokenOf } from '../testing/browser.ts'

const { auth } = operations
let server: BootedServer
let saml: SamlSignIns
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_PUBLIC_URL: ORIGIN, BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  saml = samlSignIns(server, await createIdentityProvider(), clock)
  await saml.enable(await server.setUpAccount())
})
afterAll(() => server.close())

/** A browser behind an address, which the test server reads from its trusted proxy's header. */
function browserAt(address: string): TestBrowser {
  const browser = testBrowser(server)
  const send: TestBrowser['send'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('x-forwarded-for', address)
    return browser.send(path, { ...init, headers })
  }
  return {
    ...browser,
    send,
    postForm: async (path, fields) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await send(path, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
      return answer.headers.get('location') ?? ''
    },
  }
}

const signIn = async (browser: TestBrowser, name: string): Promise<string> =>
  tokenOf(
    await saml.signIn(browser, {
      nameId: `id-${name}`,
      attributes: { emailAddress: `${name}@example.com`, displayName: name },
    }),
  )

const use = async (browser: TestBrowser, token: string, headers: Record<string, string> = {}): Promise<number> =>
  (await browser.send(auth.getUser.path, { headers: { authorization: `Bearer ${token}`, ...headers } })).status

const kindsOf = async (name: string): Promise<string[]> => {
  const db = server.database.system()
  const rows = await db
    .selectFrom('account_events')
    .innerJoin('users', 'users.id', 'account_events.user_id')
    .select('kind')
    .where('users.email', '=', `${name}@example.com`)
    .execute()
  return rows.map(({ kind }) => kind)
}

it.each([
  ['the same IPv4 /24', 'near', '192.0.2.7', '192.0.2.200'],
  ['the same IPv6 /48', 'wide', '2001:db8:1:1::7', '2001:db8:1:ffff::9'],
])('works from %s without a cookie, as existing clients send it', async (_, name, begun, used) => {
  const token = await signIn(browserAt(begun), name)
  expect(await use(browserAt(used), token)).toBe(200)
  expect(await kindsOf(name)).not.toContain('exchange.refuse')
})

it.each([
  ['another IPv4 /24', 'far', '192.0.2.7', '192.0.3.7'],
  ['another IPv6 /48', 'farther', '2001:db8:1::7', '2001:db8:2::7'],
])('is used up by a call from %s, and the account gets an event', async (_, name, begun, used) => {
  const browser = browserAt(begun)
  const token = await signIn(browser, name)
  expect(await use(browserAt(used), token)).toBe(401)
  expect(await use(browser, token)).toBe(401)
  expect(await kindsOf(name)).toContain('exchange.refuse')
})

it('is used up by a browser that began another sign-in', async () => {
  const browser = browserAt('192.0.2.7')
  const token = await signIn(browser, 'two-browsers')
  const other = browserAt('192.0.2.7')
  await saml.begin(other)
  expect(await use(other, token)).toBe(401)
  expect(await use(browser, token)).toBe(401)
  expect(await kindsOf('two-browsers')).toContain('exchange.refuse')
})

it('is used up by a page of this server in a browser that began no sign-in', async () => {
  const token = await signIn(browserAt('192.0.2.7'), 'pasted')
  const page = { 'sec-fetch-site': 'same-origin' }
  expect(await use(browserAt('192.0.2.7'), token, page)).toBe(401)
  expect(await kindsOf('pasted')).toContain('exchange.refuse')
  const browser = browserAt('192.0.2.7')
  expect(await use(browser, await signIn(browser, 'pasted'), page)).toBe(200)
})

it('is one of ten of an account that nobody has used: further ones end the oldest', async () => {
  const browser = browserAt('192.0.2.7')
  const tokens: string[] = []
  for (let nth = 0; nth < 12; nth += 1) tokens.push(await signIn(browser, 'patient'))
  const unused = await server.database
    .system()
    .selectFrom('exchange_tokens')
    .innerJoin('users', 'users.id', 'exchange_tokens.user_id')
    .select('token_hash')
    .where('users.email', '=', 'patient@example.com')
    .execute()
  expect(unused).toHaveLength(10)
  expect(await use(browser, tokens[1] ?? '')).toBe(401)
  for (const at of [2, 11]) expect(await use(browser, tokens[at] ?? '')).toBe(200)
})
