// Activity of people's own accounts, over HTTP.
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

describe('account activity', () => {
  it('counts failed sign-ins per hour and source, and shows the resulting lock', async () => {
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

  it('shows sign-ins, changes with before and after, and sign-outs', async () => {
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

  it('shows a change refused because the name is taken', async () => {
    const person = await server.addPerson('copycat')
    const call = person.client.call(users.update, { body: { email: 'ada@example.com', current_password: PASSWORD } })
    expect(await outcome(call)).toBe('409 email')
    expect(await kindsOf(person)).toContain('account.conflict')
  })

  it('shows a replayed session cookie', async () => {
    const person = await server.addPerson('robbed')
    const session = await server.client().call(auth.createSession, { body: { username: 'robbed', password: PASSWORD } })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const refresh = () => server.fetch('/api/auth/session/refresh', { method: 'POST', headers: { cookie } })
    await refresh()
    clock.advance(31_000)
    await refresh()
    expect(await kindsOf(person)).toContain('session.replay')
  })

  it('shows when distributed guessing blocks unknown sources', async () => {
    const person = await server.addPerson('besieged')
    for (let i = 0; i < 20; i += 1) await signIn('besieged', 'wrong', `198.18.0.${i}`)
    expect(await kindsOf(person)).toContain('sign-in.guard')
  })

  it('hides activity from other people and from the namespace’s audit log', async () => {
    const before = await kindsOf(ada)
    await signIn('besieged', 'wrong', '198.18.1.1')
    expect(await kindsOf(ada)).toEqual(before)
    const { body } = await ada.client.call(operations.audit.list, { query: {} })
    expect(body.filter(({ action }) => action.startsWith('sign-in'))).toEqual([])
  })

  it('deletes activity after a year', async () => {
    const person = await server.addPerson('old')
    clock.advance(366 * 86_400_000)
    clock.advance(600_000)
    const rows = server.database.system().selectFrom('account_events').select('id').where('user_id', '=', person.id)
    await expect.poll(async () => (await rows.execute()).length).toBe(0)
  })
})
