// Second step of sign-ins, over HTTP: codes, tokens, and the ways around it that must not exist.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type Factor, addFactor, codeAt, passwordStep, post } from './testing.ts'

const STEP = 30_000
const MINUTE = 60_000
const AUTH = '/api/user/mfa/auth'
const SESSION = '/api/auth/session/factor'
let clock: ManualClock
let server: BootedServer
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(() => clock.advance(10 * STEP))

async function somebody(): Promise<{ person: Person; factor: Factor }> {
  const person = await server.addPerson(`somebody-${(number += 1)}`)
  const factor = await addFactor(person.client, clock)
  clock.advance(STEP)
  return { person, factor }
}

describe('second step', () => {
  it('answers a right password with 401, an empty-handed body and a token', async () => {
    const { person } = await somebody()
    const { status, headers, body } = await post(server, '/api/login', person)
    expect([status, Object.keys(body).toSorted()]).toEqual([401, ['code', 'message']])
    expect(headers.get('x-mfa-token')).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.stringify(body)).not.toContain(person.username)
  })

  it('tells a right password what finishes the sign-in, and a wrong one nothing', async () => {
    const { person } = await somebody()
    const methods = async (password = person.password) =>
      (await post(server, '/api/login', { ...person, password })).headers.get('x-mfa-methods')
    expect([await methods(), await methods('wrong')]).toEqual(['code, recovery-code', ''])
    const codes = server.database.system().updateTable('recovery_codes')
    await codes.set({ used_at: new Date() }).where('user_id', '=', person.id).execute()
    expect(await methods()).toBe('code')
  })

  it('finishes the sign-in with the code of the authenticator', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    const { status, body } = await post(server, AUTH, { token, code: codeAt(factor.secret, clock.now()) })
    expect([status, body['user'], body['mfa'], body['tenant']]).toEqual([200, person.username, true, person.tenant])
    expect(await outcome(server.client(String(body['token'])).call(operations.auth.getUser, {}))).toBe('200')
  })

  it('takes codes of the steps before and after, and no others', async () => {
    for (const [shift, expected] of [
      [-2, 401],
      [-1, 200],
      [0, 200],
      [1, 200],
      [2, 401],
    ] as const) {
      const { person, factor } = await somebody()
      clock.advance(5 * STEP)
      const token = await passwordStep(server, person)
      const code = codeAt(factor.secret, clock.now() + shift * STEP)
      expect([shift, (await post(server, AUTH, { token, code })).status]).toEqual([shift, expected])
    }
  })

  it('takes a code that is typed with a blank', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    const code = codeAt(factor.secret, clock.now())
    expect((await post(server, AUTH, { token, code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200)
  })

  it('keeps the token after a wrong code', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    expect(await post(server, AUTH, { token, code: '000000' })).toMatchObject({
      status: 401,
      body: { code: 'SECOND_FACTOR_WRONG' },
    })
    expect((await post(server, AUTH, { token, code: codeAt(factor.secret, clock.now()) })).status).toBe(200)
  })

  it('starts a browser session with its cookie, by code or recovery code', async () => {
    const { person, factor } = await somebody()
    for (const typed of [
      { code: codeAt(factor.secret, clock.now()) },
      { recovery_code: factor.recoveryCodes[0]?.toUpperCase() },
    ]) {
      const token = await passwordStep(server, person)
      const { status, headers } = await post(server, SESSION, { token, ...typed })
      expect([status, headers.get('set-cookie')]).toEqual([200, expect.stringMatching(/^bowline=.*HttpOnly/)])
      const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
      const refreshed = await server.fetch('/api/auth/session/refresh', { method: 'POST', headers: { cookie } })
      expect(refreshed.status).toBe(200)
    }
  })

  it('refuses a page of another site', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    const body = JSON.stringify({ token, code: codeAt(factor.secret, clock.now()) })
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-site' }
    const response = await server.fetch(SESSION, { method: 'POST', headers, body })
    expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null])
  })
})

describe('tokens of waiting sign-ins', () => {
  it('refuses a token that has finished a sign-in', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    await post(server, AUTH, { token, code: codeAt(factor.secret, clock.now()) })
    clock.advance(STEP)
    const code = codeAt(factor.secret, clock.now())
    expect(await post(server, AUTH, { token, code })).toMatchObject({
      status: 401,
      body: { code: 'SECOND_FACTOR_EXPIRED' },
    })
  })

  it('finishes one sign-in for twenty concurrent uses of a token with different recovery codes', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    const uses = factor.recoveryCodes
      .slice(0, 5)
      .map((recovery_code) => post(server, SESSION, { token, recovery_code }))
    expect((await Promise.all(uses)).filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('refuses a token after thirty minutes', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    clock.advance(30 * MINUTE)
    const { body } = await post(server, AUTH, { token, code: codeAt(factor.secret, clock.now()) })
    expect(body['code']).toBe('SECOND_FACTOR_EXPIRED')
  })

  it('refuses a token after the password has changed', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    await person.client.call(operations.users.update, {
      body: { password: 'another good password', current_password: person.password },
    })
    const { body } = await post(server, AUTH, { token, code: codeAt(factor.secret, clock.now()) })
    expect(body['code']).toBe('SECOND_FACTOR_EXPIRED')
  })

  it('refuses the token of one person with the code of another', async () => {
    const [one, other] = [await somebody(), await somebody()]
    const token = await passwordStep(server, one.person)
    for (const typed of [
      { code: codeAt(other.factor.secret, clock.now()) },
      { recovery_code: other.factor.recoveryCodes[0] },
    ]) {
      const { status, body } = await post(server, SESSION, { token, ...typed })
      expect([status, body['code']]).toEqual([401, 'SECOND_FACTOR_WRONG'])
    }
    const token2 = await passwordStep(server, other.person)
    const typed = { recovery_code: other.factor.recoveryCodes[0] }
    expect((await post(server, SESSION, { token: token2, ...typed })).status).toBe(200)
  })
})

describe('ways around the second step', () => {
  it('accepts a waiting token neither as bearer token nor as refresh cookie', async () => {
    const { person } = await somebody()
    const token = await passwordStep(server, person)
    const headers = { authorization: `Bearer ${token}` }
    for (const path of ['/api/auth/user', `/api/auth/token/${person.tenant}`, `/api/token/${person.tenant}`]) {
      expect([path, (await server.fetch(path, { headers })).status]).toEqual([path, 401])
    }
    const cookie = { cookie: `bowline=${token}` }
    const refreshed = await server.fetch('/api/auth/session/refresh', { method: 'POST', headers: cookie })
    expect([refreshed.status, (await server.fetch('/api/devices', { headers })).status]).toEqual([401, 401])
  })

  it('asks for the second step on every path that takes a password', async () => {
    const { person } = await somebody()
    for (const path of ['/api/login', '/api/auth/user', '/api/auth/session']) {
      const { status, headers, body } = await post(server, path, person)
      expect([path, status, body['code'], headers.get('set-cookie')]).toEqual([path, 401, 'MFA_REQUIRED', null])
    }
  })

  it('issues no token by the deprecated calls of a signed-in person', async () => {
    const { person } = await somebody()
    const { token } = person.auth
    const data = { name: 'Another Name' }
    const change = await post(server, `/api/users/${person.id}/data`, data, { token, method: 'PATCH' })
    expect([change.status, change.body]).toEqual([200, {}])
  })

  it('does not make the source of a mere password a known one', async () => {
    const { person } = await somebody()
    const db = server.database.system()
    await db.deleteFrom('known_sources').where('user_id', '=', person.id).execute()
    await passwordStep(server, person)
    expect(await db.selectFrom('known_sources').selectAll().where('user_id', '=', person.id).execute()).toEqual([])
  })
})
