// What people are told of their own accounts, over HTTP.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'

const { users, auth } = operations
let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(() => clock.advance(3_600_000))

const activity = (person: Person, token = person.auth.token) =>
  server.client(token).call(users.listActivity, { query: { per_page: '100' } })
const kindsOf = async (person: Person) => (await activity(person)).body.map(({ kind }) => kind)
const signIn = (username: string, password: string, from = '192.0.2.1') =>
  server.fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, 'user-agent': 'curl/8' },
    body: JSON.stringify({ username, password }),
  })
const tokenOf = async (response: Response) => ((await response.json()) as { token: string }).token

describe('the activity of an account', () => {
  it('counts the failures of an hour and a source, and tells of the lock that they led to', async () => {
    const person = await server.addPerson('guessed')
    for (let i = 0; i < 5; i += 1) await signIn('guessed', 'wrong', '198.51.100.7')
    await signIn('guessed@example.com', 'wrong', '2001:db8:1:2:3::4')
    const { body, total } = await activity(person)
    expect(total).toBe(5)
    expect(body.filter(({ kind }) => kind.startsWith('sign-in.'))).toMatchObject([
      { kind: 'sign-in.fail', count: 1, source: '2001:db8:1:2::/64' },
      { kind: 'sign-in.lock', count: 1, source: '198.51.100.7', user_agent: 'curl/8' },
      { kind: 'sign-in.fail', count: 3, source: '198.51.100.7', user_agent: 'curl/8' },
    ])
  })

  it('has sign-ins, changes with before and after, and sign-outs', async () => {
    const person = await server.addPerson('mover')
    const email = 'moved@example.com'
    await person.client.call(users.update, { body: { username: 'moved', email, current_password: PASSWORD } })
    await person.client.call(users.update, { body: { password: 'another-password', current_password: PASSWORD } })
    const token = await tokenOf(await signIn('moved', 'another-password'))
    await server.fetch('/api/auth/session', { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
    const last = await tokenOf(await signIn('moved', 'another-password'))
    const { body } = await activity(person, last)
    expect(body.map(({ kind, count }) => `${kind} ${count}`).sort()).toEqual([
      'account.create 1',
      'address.change 1',
      'password.change 1',
      'sign-in 1',
      'sign-in 2',
      'sign-out 1',
      'username.change 1',
    ])
    expect(body.find(({ kind }) => kind === 'address.change')?.details).toEqual({
      before: { email: 'mover@example.com', recovery_email: null },
      after: { email, recovery_email: null },
    })
    expect(JSON.stringify(body)).not.toContain('another-password')
  })

  it('tells of a change that was refused because somebody else has the name', async () => {
    const person = await server.addPerson('copycat')
    const call = person.client.call(users.update, { body: { email: 'ada@example.com', current_password: PASSWORD } })
    expect(await outcome(call)).toBe('409 email')
    expect(await kindsOf(person)).toContain('account.conflict')
  })

  it('tells of a cookie that came a second time', async () => {
    const person = await server.addPerson('robbed')
    const session = await server.client().call(auth.createSession, { body: { username: 'robbed', password: PASSWORD } })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const refresh = () => server.fetch('/api/auth/session/refresh', { method: 'POST', headers: { cookie } })
    await refresh()
    clock.advance(31_000)
    await refresh()
    expect(await kindsOf(person)).toContain('session.replay')
  })

  it('tells when guesses from everywhere have shut out sources that are not known', async () => {
    const person = await server.addPerson('besieged')
    for (let i = 0; i < 20; i += 1) await signIn('besieged', 'wrong', `198.18.0.${i}`)
    expect(await kindsOf(person)).toContain('sign-in.guard')
  })

  it('is the person’s own: neither others nor the audit log of the namespace have it', async () => {
    const before = await kindsOf(ada)
    await signIn('besieged', 'wrong', '198.18.1.1')
    expect(await kindsOf(ada)).toEqual(before)
    const { body } = await ada.client.call(operations.audit.list, { query: {} })
    expect(body.filter(({ action }) => action.startsWith('sign-in'))).toEqual([])
  })

  it('is forgotten after a year', async () => {
    const person = await server.addPerson('old')
    clock.advance(366 * 86_400_000)
    clock.advance(600_000)
    const rows = server.database.system().selectFrom('account_events').select('id').where('user_id', '=', person.id)
    await expect.poll(async () => (await rows.execute()).length).toBe(0)
  })
})
