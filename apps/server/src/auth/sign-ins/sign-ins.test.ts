// Living sign-ins of a person over HTTP, and notices of new devices.
import { operations } from '@bowline/contract/operations'
import type { SignIn } from '@bowline/contract/schemas/sign-in'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailsTo } from '../../mails/testing/outbox.ts'
import { type BootedServer, PASSWORD, type Person, bootServer } from '../../testing/boot.ts'

const { auth, users } = operations
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15'
let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(() => clock.advance(60_000))

interface Browser {
  readonly token: string
  /** All cookies, as the browser sends them. */
  readonly cookies: string
}

async function post(path: string, headers: Record<string, string>, body?: unknown): Promise<Browser> {
  const response = await server.fetch(path, {
    method: 'POST',
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  expect(response.status).toBe(200)
  const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '')
  return { token: ((await response.json()) as { token: string }).token, cookies: cookies.join('; ') }
}

const signInFrom = (
  person: Person,
  { from = '192.0.2.1', browser = FIREFOX, cookies = '' }: { from?: string; browser?: string; cookies?: string } = {},
): Promise<Browser> =>
  post(
    auth.createSession.path,
    { 'x-forwarded-for': from, 'user-agent': browser, cookie: cookies },
    { username: person.username, password: PASSWORD },
  )
const logIn = (person: Person, from: string, program: string): Promise<Browser> =>
  post(
    auth.login.path,
    { 'x-forwarded-for': from, 'user-agent': program },
    { username: person.username, password: PASSWORD },
  )
const list = async (token: string): Promise<readonly SignIn[]> =>
  (await server.client(token).call(users.listSignIns, {})).body
const end = (token: string, id: string) => server.client(token).call(users.endSignIn, { params: { id } })
const statusOf = async (token: string): Promise<number> =>
  (await server.fetch('/api/auth/user', { headers: { authorization: `Bearer ${token}` } })).status
const currentOf = async (token: string): Promise<SignIn> => {
  const found = (await list(token)).find(({ current }) => current)
  if (!found) throw new Error('no sign-in is the current one')
  return found
}

describe('sign-ins of a person', () => {
  it('lists browsers and programs with address and times, and marks the current one', async () => {
    const person = await server.addPerson('lister')
    const browser = await signInFrom(person, { from: '192.0.2.7' })
    const items = await list(browser.token)
    expect(items.map(({ kind }) => kind).toSorted()).toEqual(['browser', 'token'])
    expect(await currentOf(browser.token)).toMatchObject({
      kind: 'browser',
      browser: 'Firefox on Linux',
      source: '192.0.2.7',
      place: '',
      created_at: new Date(clock.now()).toISOString(),
    })
    const program = await logIn(person, '192.0.2.8', 'backup-job/1')
    expect(await currentOf(program.token)).toMatchObject({ kind: 'token', browser: 'backup-job/1' })
  })

  it('shows the last use: renewals of browsers, calls of programs', async () => {
    const person = await server.addPerson('user-of-both')
    const browser = await signInFrom(person)
    const program = await logIn(person, '192.0.2.8', 'job')
    clock.advance(6 * 60_000)
    const moved = { 'x-forwarded-for': '198.51.100.3', 'user-agent': FIREFOX, cookie: browser.cookies }
    const renewed = await post(auth.refreshSession.path, moved)
    const now = new Date(clock.now()).toISOString()
    expect(await currentOf(renewed.token)).toMatchObject({ last_seen: now, source: '198.51.100.3' })
    await statusOf(program.token)
    expect((await currentOf(program.token)).last_seen).toBe(now)
  })

  it('ends one sign-in at once and keeps the others', async () => {
    const person = await server.addPerson('ender')
    const [first, second] = [await signInFrom(person), await signInFrom(person)]
    const program = await logIn(person, '192.0.2.8', 'job')
    for (const ended of [second, program]) {
      const { id } = await currentOf(ended.token)
      await end(first.token, id)
      expect(await statusOf(ended.token)).toBe(401)
      await expect(end(first.token, id)).rejects.toMatchObject({ status: 404 })
    }
    expect(await statusOf(first.token)).toBe(200)
    const refreshed = await server.fetch(auth.refreshSession.path, {
      method: 'POST',
      headers: { cookie: second.cookies, 'user-agent': FIREFOX },
    })
    expect(refreshed.status).toBe(401)
  })

  it('does not end the sign-in of another person', async () => {
    const victim = await server.addPerson('victim')
    const browser = await signInFrom(victim)
    const { id } = await currentOf(browser.token)
    await expect(end(ada.auth.token, id)).rejects.toMatchObject({ status: 404 })
    expect(await statusOf(browser.token)).toBe(200)
    expect((await list(ada.auth.token)).map((one) => one.id)).not.toContain(id)
  })

  it('forgets sign-ins that were signed out, everywhere or one by one, and expired ones', async () => {
    const person = await server.addPerson('leaver')
    const out = await signInFrom(person)
    const { id } = await currentOf(out.token)
    await server.fetch(auth.deleteSession.path, { method: 'DELETE', headers: { cookie: out.cookies } })
    const browser = await signInFrom(person)
    expect((await list(browser.token)).map((one) => one.id)).not.toContain(id)
    await server.client(browser.token).call(auth.endSessions, {})
    const next = await signInFrom(person)
    expect(await list(next.token)).toHaveLength(1)
    clock.advance(31 * 86_400_000)
    const later = await signInFrom(person)
    expect(await list(later.token)).toHaveLength(1)
  })
})

describe('notice of a new device', () => {
  const notices = async (person: Person) =>
    (await mailsTo(server, `${person.username}@example.com`, 'notice')).map(({ values }) => values)

  it('goes out for a browser without the device cookie, once, and not for the first device', async () => {
    const person = await server.addPerson('noticed')
    // The first device is the program that the helper signed in with.
    expect(await notices(person)).toEqual([])
    const browser = await signInFrom(person, { from: '203.0.113.5', browser: SAFARI })
    expect(await notices(person)).toMatchObject([
      { event: 'new-device', browser: 'Safari on macOS', source: '203.0.113.5', name: person.auth.name },
    ])
    // The same browser from another network is known by its cookie.
    await signInFrom(person, { from: '198.51.100.9', browser: SAFARI, cookies: browser.cookies })
    expect(await notices(person)).toHaveLength(1)
    // An equal browser of somebody else is not.
    await signInFrom(person, { from: '203.0.113.5', browser: SAFARI })
    expect(await notices(person)).toHaveLength(2)
  })

  it('does not accept a device cookie that the server did not make, or one of another account', async () => {
    const [first, second] = [await server.addPerson('cookie-a'), await server.addPerson('cookie-b')]
    const browser = await signInFrom(first)
    await signInFrom(second, { cookies: browser.cookies })
    expect(await notices(second)).toHaveLength(1)
    await signInFrom(second, { cookies: 'bowline-device=made-up' })
    expect(await notices(second)).toHaveLength(2)
  })

  it('goes out for a program from a new network', async () => {
    const person = await server.addPerson('scripted')
    await logIn(person, '203.0.113.77', 'job')
    await logIn(person, '203.0.113.77', 'job')
    expect(await notices(person)).toMatchObject([{ event: 'new-device', browser: 'job', source: '203.0.113.77' }])
  })
})
