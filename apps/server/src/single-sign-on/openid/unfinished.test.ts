// Sign-ins by a provider that nobody finishes: what they leave behind.
import { systemClock } from '@bowline/base/clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { forgetExpired } from '../../auth/expiry.ts'
import { unique } from '../../registration/testing.ts'
import { type BootedServer, bootServer, outcome } from '../../testing/boot.ts'
import { type TestBrowser, testBrowser } from '../testing/browser.ts'
import { CLIENT, type TestOpenidProvider, type TestPerson, startOpenidProvider } from './testing/provider.ts'

const { auth, openid } = operations
const ORIGIN = 'https://bowline.example.com'
let server: BootedServer
let idp: TestOpenidProvider
let provider = ''
beforeAll(async () => {
  idp = await startOpenidProvider(`${ORIGIN}/api/user/openid/callback`)
  server = await bootServer({
    settings: {
      BOWLINE_PUBLIC_URL: ORIGIN,
      BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
    },
  })
  const admin = await server.setUpAccount()
  const { body } = await admin.client.call(openid.add, { body: { name: 'Directory', issuer: idp.issuer, ...CLIENT } })
  provider = body.id
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
async function left({ sub }: TestPerson) {
  const sessions = await server.database
    .system()
    .selectFrom('provider_sessions')
    .leftJoin('exchange_tokens', 'exchange_tokens.provider_session', 'provider_sessions.id')
    .select(['sign_in', 'token_hash'])
    .where('subject', '=', sub)
    .execute()
  return {
    sessions: sessions.length,
    finished: sessions.filter(({ sign_in: signIn }) => signIn !== null).length,
    tokens: sessions.filter(({ token_hash: token }) => token !== null).length,
  }
}

it('keeps ten unfinished sign-ins of a person, the newest ones, and ends no other', async () => {
  const [who, other] = [person(), person()]
  const [browser, third] = [testBrowser(server), testBrowser(server)]
  const { token } = await browser.signIn(await arrive(browser, who))
  const page = await arrive(third, other)
  const pages: string[] = []
  for (let nth = 0; nth < 12; nth += 1) pages.push(await arrive(browser, who))
  expect(await left(who)).toEqual({ sessions: 11, finished: 1, tokens: 10 })
  expect((await browser.exchange(pages[1] ?? '')).status).toBe(401)
  for (const at of [2, 11]) expect((await browser.exchange(pages[at] ?? '')).status).toBe(200)
  expect((await third.exchange(page)).status).toBe(200)
  expect(await outcome(server.client(token).call(auth.getUser, {}))).toBe('200')
})

it('forgets a sign-in that nobody has finished two hours later, and keeps those that go on', async () => {
  const who = person()
  const browser = testBrowser(server)
  await browser.signIn(await arrive(browser, who))
  await arrive(browser, who)
  const forget = async (minutes: number): Promise<void> => {
    const clock = { ...systemClock, now: () => systemClock.now() + minutes * 60_000 }
    await forgetExpired({ db: server.database.system(), clock } as Parameters<typeof forgetExpired>[0])
  }
  await forget(119)
  expect(await left(who)).toMatchObject({ sessions: 2, finished: 1 })
  await forget(121)
  expect(await left(who)).toEqual({ sessions: 1, finished: 1, tokens: 0 })
})
