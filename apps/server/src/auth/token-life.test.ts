// Life of tokens of `POST /api/login` across renewals, and their early end.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, PASSWORD, type Person, bootServer } from '../testing/boot.ts'

const { auth, members } = operations
const HOUR = 3_600_000
let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(() => clock.advance(60_000))

const signIn = async (username = 'ada') =>
  (await server.client().call(auth.login, { body: { username, password: PASSWORD } })).body.token
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const statusOf = async (token: string) => (await server.fetch('/api/auth/user', bearer(token))).status
const signOut = async (token: string) =>
  (await server.fetch('/api/auth/session', { method: 'DELETE', ...bearer(token) })).status
const endOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }).exp

describe('renewed token', () => {
  it.each<[string, (token: string, person: Person) => Promise<string>]>([
    ['GET /api/auth/user', async (token) => (await server.client(token).call(auth.getUser, {})).body.token],
    [
      'GET /api/auth/token/{tenant}',
      async (token, { tenant }) =>
        (await server.client(token).call(auth.switchNamespace, { params: { tenant } })).body.token,
    ],
    [
      'GET /api/token/{tenant}',
      async (token, { tenant }) => {
        const response = await server.fetch(`/api/token/${tenant}`, bearer(token))
        return ((await response.json()) as { token: string }).token
      },
    ],
    [
      'leaving a namespace',
      async (token, person) => {
        const host = await server.addPerson(`host-of-${person.username}`)
        await server.addMember(host.tenant, person.id, 'observer')
        const params = { tenant: host.tenant }
        const inside = (await server.client(token).call(auth.switchNamespace, { params })).body.token
        const { body } = await server.client(inside).call(members.leave, { params })
        return body?.token ?? ''
      },
    ],
  ])('expires a token renewed through %s with the first token', async (_, renew) => {
    const person = await server.addPerson(`renewing-${Math.floor(clock.now() / 60_000)}`)
    const first = await signIn(person.username)
    clock.advance(71 * HOUR)
    const second = await renew(first, person)
    const third = await renew(second, person).catch(() => second)
    expect([endOf(second), endOf(third)]).toEqual([endOf(first), endOf(first)])
    clock.advance(HOUR + 61_000)
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 401])
  })
})

describe('sign-out with a token', () => {
  it('ends the token and all tokens renewed from the same sign-in', async () => {
    const first = await signIn()
    const { token: second } = (await server.client(first).call(auth.getUser, {})).body
    const { token: third } = (await server.client(second).call(auth.getUser, {})).body
    const other = await signIn()
    expect(await signOut(second)).toBe(200)
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 401])
    expect(await statusOf(other)).toBe(200)
  })

  it('ends the browser session of the token', async () => {
    const body = { username: 'ada', password: PASSWORD }
    const session = await server.client().call(auth.createSession, { body })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(await signOut(session.body.token)).toBe(200)
    expect(await statusOf(session.body.token)).toBe(401)
    const refreshed = await server.fetch('/api/auth/session/refresh', { method: 'POST', headers: { cookie } })
    expect(refreshed.status).toBe(401)
  })

  it('answers a repeated sign-out and an invalid token with 200', async () => {
    const token = await signIn()
    expect([await signOut(token), await signOut(token), await signOut('nonsense')]).toEqual([200, 200, 200])
  })

  it('forgets an ended sign-in once its tokens would have expired', async () => {
    const token = await signIn()
    await signOut(token)
    const remembered = async () =>
      (await server.database.system().selectFrom('ended_logins').selectAll().execute()).length
    expect(await remembered()).toBeGreaterThan(0)
    clock.advance(73 * HOUR)
    // The clean-up runs every ten minutes.
    clock.advance(HOUR)
    await expect.poll(remembered).toBe(0)
    expect(await statusOf(token)).toBe(401)
  })
})

describe('sign-out everywhere', () => {
  it('ends every token and browser session of the person and of nobody else', async () => {
    const other = await server.addPerson('other')
    const tokens = [await signIn(), await signIn()]
    const session = await server.client().call(auth.createSession, { body: { username: 'ada', password: PASSWORD } })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const response = await server.fetch('/api/auth/sessions', { method: 'DELETE', ...bearer(tokens[0] ?? '') })
    expect(response.status).toBe(200)
    for (const token of [...tokens, session.body.token]) expect(await statusOf(token)).toBe(401)
    expect((await server.fetch('/api/auth/session/refresh', { method: 'POST', headers: { cookie } })).status).toBe(401)
    expect(await statusOf(other.auth.token)).toBe(200)
    expect(await statusOf(await signIn())).toBe(200)
    expect(ada.id).toBeDefined()
  })
})
