// Authenticators and recovery codes of one's own account, over HTTP.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { NEVER } from '@bowline/contract/schemas/common'
import { Secret } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailsTo } from '../mails/testing/outbox.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { addFactor, codeAt, passwordStep, post } from './testing.ts'

const STEP = 30_000
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

const somebody = (): Promise<Person> => server.addPerson(`somebody-${(number += 1)}`)
const { mfa, programs } = operations
const factorsOf = async ({ client }: Person) => (await client.call(mfa.get, {})).body
const eventsOf = async ({ client }: Person) => (await client.call(operations.users.listActivity, {})).body
const noticesTo = async ({ auth }: Person) =>
  (await mailsTo(server, auth.email, 'notice')).map(({ values }) => [values.event, values.subject])

describe('a generated secret', () => {
  it('has 160 random bits and an otpauth link for authenticator apps', async () => {
    const { client, username } = await somebody()
    const { body } = await client.call(mfa.generate, {})
    expect(Secret.fromBase32(body.secret).bytes.length).toBe(20)
    const link = new URL(body.link)
    expect(`${link.protocol}//${link.host}`).toBe('otpauth://totp')
    expect(decodeURIComponent(link.pathname)).toBe(`/Bowline:${username}@localhost`)
    expect(Object.fromEntries(link.searchParams)).toEqual({
      issuer: 'Bowline',
      secret: body.secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
    const again = await client.call(mfa.generate, {})
    expect(again.body.secret).not.toBe(body.secret)
  })

  it('comes with six recovery codes of ten letters and digits', async () => {
    const { client } = await somebody()
    const { body } = await client.call(mfa.generate, {})
    expect(body.recovery_codes).toHaveLength(6)
    expect(new Set(body.recovery_codes).size).toBe(6)
    for (const code of body.recovery_codes) expect(code).toMatch(/^[a-z0-9]{10}$/)
  })

  it('leaves neither secret nor recovery code in the database, before and after it is enabled', async () => {
    const person = await somebody()
    const { secret, recoveryCodes } = await addFactor(person.client, clock)
    await person.client.call(mfa.generate, {})
    const db = server.database.system()
    const rows = JSON.stringify([
      await db.selectFrom('authenticators').selectAll().execute(),
      await db.selectFrom('issued_secrets').selectAll().execute(),
      await db.selectFrom('recovery_codes').selectAll().execute(),
      await db.selectFrom('mails').selectAll().execute(),
    ])
    for (const plain of [secret, ...recoveryCodes]) {
      expect(rows).not.toContain(plain)
      expect(rows).not.toContain(JSON.stringify([...Buffer.from(plain)]).slice(1, -1))
    }
  })
})

describe('switching the second factor on', () => {
  it('takes a code of the generated secret, and shows the authenticator', async () => {
    const person = await somebody()
    await addFactor(person.client, clock, 'Phone')
    expect(await factorsOf(person)).toMatchObject({
      enabled: true,
      authenticators: [{ name: 'Phone', last_used_at: NEVER }],
      recovery_codes_left: 6,
    })
    expect(await passwordStep(server, person)).not.toBe('')
    expect((await eventsOf(person)).map(({ kind }) => kind)).toContain('factor.add')
    expect(await noticesTo(person)).toEqual([['factor-added', 'Phone']])
  })

  it('refuses a wrong code with 403 and leaves the factor off', async () => {
    const person = await somebody()
    const { secret, recovery_codes } = (await person.client.call(mfa.generate, {})).body
    const body = { code: codeAt(secret, clock.now() + 10 * STEP), secret, recovery_codes }
    expect(await outcome(person.client.call(mfa.enable, { body }))).toBe('403 CODE_REFUSED')
    expect(await factorsOf(person)).toMatchObject({ enabled: false, authenticators: [] })
  })

  it('needs the password when the sign-in is older than ten minutes: a stolen session must not lock the owner out', async () => {
    const person = await somebody()
    clock.advance(11 * 60_000)
    const { secret, recovery_codes } = (await person.client.call(mfa.generate, {})).body
    const enable = (proof: object) => {
      clock.advance(STEP)
      const body = { code: codeAt(secret, clock.now()), secret, recovery_codes, ...proof }
      return outcome(person.client.call(mfa.enable, { body }))
    }
    expect(await enable({})).toBe('400 INVALID_INPUT current_password')
    expect(await enable({ current_password: 'wrong' })).toBe('400 INVALID_INPUT current_password')
    expect(await factorsOf(person)).toMatchObject({ enabled: false })
    expect(await enable({ current_password: person.password })).toBe('200')
    expect(await factorsOf(person)).toMatchObject({ enabled: true })
  })

  it('needs the password of a program that another sign-in has approved', async () => {
    const person = await somebody()
    clock.advance(9 * 60_000)
    const { body: code } = await server.client().call(programs.start, { body: { name: 'laptop' } })
    await person.client.call(programs.decide, { body: { user_code: code.user_code, approve: true } })
    const { body: program } = await server.client().call(programs.token, { body: { device_code: code.device_code } })
    clock.advance(2 * 60_000)
    const client = server.client(program.token)
    const { secret, recovery_codes } = (await client.call(mfa.generate, {})).body
    const body = { code: codeAt(secret, clock.now()), secret, recovery_codes }
    expect(await outcome(client.call(mfa.enable, { body }))).toBe('400 INVALID_INPUT current_password')
  })

  it('refuses a secret that the server did not generate', async () => {
    const person = await somebody()
    const secret = new Secret({ size: 20 }).base32
    const body = { code: codeAt(secret, clock.now()), secret, recovery_codes: ['aaaaaaaaaa'] }
    expect(await outcome(person.client.call(mfa.enable, { body }))).toBe('400 INVALID_INPUT secret')
  })

  it('refuses a secret that was generated for somebody else', async () => {
    const [person, other] = [await somebody(), await somebody()]
    const { secret, recovery_codes } = (await other.client.call(mfa.generate, {})).body
    const body = { code: codeAt(secret, clock.now()), secret, recovery_codes }
    expect(await outcome(person.client.call(mfa.enable, { body }))).toBe('400 INVALID_INPUT secret')
  })

  it('refuses a secret that was generated more than an hour ago', async () => {
    const person = await somebody()
    const { secret, recovery_codes } = (await person.client.call(mfa.generate, {})).body
    clock.advance(3_600_001)
    const current_password = person.password
    const body = { code: codeAt(secret, clock.now()), secret, recovery_codes, current_password }
    expect(await outcome(person.client.call(mfa.enable, { body }))).toBe('400 INVALID_INPUT secret')
  })

  it('refuses recovery codes other than the generated ones', async () => {
    const person = await somebody()
    const { secret, recovery_codes } = (await person.client.call(mfa.generate, {})).body
    const code = codeAt(secret, clock.now())
    for (const given of [['1'], recovery_codes.slice(1), [...recovery_codes, 'aaaaaaaaaa'], []]) {
      const body = { code, secret, recovery_codes: given }
      expect(await outcome(person.client.call(mfa.enable, { body }))).toBe('400 INVALID_INPUT recovery_codes')
    }
  })

  it('uses up the enabling code', async () => {
    const person = await somebody()
    const { secret } = await addFactor(person.client, clock)
    const token = await passwordStep(server, person)
    const code = codeAt(secret, clock.now())
    expect((await post(server, '/api/user/mfa/auth', { token, code })).status).toBe(401)
  })

  it('adds one authenticator for twenty concurrent calls with the same secret', async () => {
    const person = await somebody()
    const { secret, recovery_codes } = (await person.client.call(mfa.generate, {})).body
    const body = { code: codeAt(secret, clock.now()), secret, recovery_codes }
    const calls = Array.from({ length: 20 }, () => outcome(person.client.call(mfa.enable, { body })))
    expect((await Promise.all(calls)).filter((one) => one === '200')).toHaveLength(1)
    expect((await factorsOf(person)).authenticators).toHaveLength(1)
  })

  it('ends sign-ins that wait for a factor', async () => {
    const person = await somebody()
    await addFactor(person.client, clock)
    const token = await passwordStep(server, person)
    const second = await addFactor(person.client, clock, 'Tablet')
    clock.advance(STEP)
    const code = codeAt(second.secret, clock.now())
    const { body } = await post(server, '/api/user/mfa/auth', { token, code })
    expect(body).toMatchObject({ code: 'SECOND_FACTOR_EXPIRED' })
  })

  it('ends the other sign-ins of the person with the first factor, and none with a further one', async () => {
    const person = await somebody()
    const { username, password } = person
    const signIn = async () => (await post(server, '/api/login', { username, password })).body['token']
    const statusOf = async (token: unknown) =>
      (await server.fetch('/api/auth/user', { headers: { authorization: `Bearer ${String(token)}` } })).status
    const earlier = await signIn()
    const { secret } = await addFactor(person.client, clock)
    expect(await statusOf(earlier)).toBe(401)
    clock.advance(STEP)
    const token = await passwordStep(server, person)
    const { body } = await post(server, '/api/user/mfa/auth', { token, code: codeAt(secret, clock.now()) })
    await addFactor(person.client, clock, 'Tablet')
    expect(await statusOf(body['token'])).toBe(200)
  })

  it('keeps the recovery codes when another authenticator is added, and takes codes of both', async () => {
    const person = await somebody()
    const first = await addFactor(person.client, clock)
    const second = await addFactor(person.client, clock, 'Tablet')
    expect([first.recoveryCodes.length, second.recoveryCodes.length]).toEqual([6, 0])
    expect(await factorsOf(person)).toMatchObject({ recovery_codes_left: 6 })
    clock.advance(STEP)
    for (const { secret } of [first, second]) {
      const token = await passwordStep(server, person)
      const code = codeAt(secret, clock.now())
      expect((await post(server, '/api/user/mfa/auth', { token, code })).status).toBe(200)
    }
  })

  it('refuses an eleventh authenticator', async () => {
    const person = await somebody()
    for (let i = 0; i < 10; i += 1) await addFactor(person.client, clock)
    const { secret, recovery_codes } = (await person.client.call(mfa.generate, {})).body
    const body = { code: codeAt(secret, clock.now()), secret, recovery_codes }
    expect(await outcome(person.client.call(mfa.enable, { body }))).toBe('403 FACTOR_LIMIT')
  })
})

describe('authenticators of an account', () => {
  it('shows when each was last used', async () => {
    const person = await somebody()
    const { secret } = await addFactor(person.client, clock)
    clock.advance(STEP)
    const token = await passwordStep(server, person)
    await post(server, '/api/user/mfa/auth', { token, code: codeAt(secret, clock.now()) })
    const { authenticators } = await factorsOf(person)
    expect(authenticators[0]?.last_used_at).toBe(new Date(clock.now()).toISOString())
  })

  it('renames one', async () => {
    const person = await somebody()
    await addFactor(person.client, clock, 'Phone')
    const [one] = (await factorsOf(person)).authenticators
    await person.client.call(mfa.rename, { params: { id: one?.id ?? '' }, body: { name: 'Old phone' } })
    expect((await factorsOf(person)).authenticators).toMatchObject([{ name: 'Old phone' }])
    const event = (await eventsOf(person)).find(({ kind }) => kind === 'factor.rename')
    expect(event?.details).toEqual({ before: 'Phone', after: 'Old phone' })
  })

  it('neither renames nor removes those of others', async () => {
    const [person, other] = [await somebody(), await somebody()]
    await addFactor(other.client, clock)
    const [one] = (await factorsOf(other)).authenticators
    const params = { id: one?.id ?? '' }
    expect(await outcome(person.client.call(mfa.rename, { params, body: { name: 'x' } }))).toBe('404 NOT_FOUND')
    expect(await outcome(person.client.call(mfa.remove, { params }))).toBe('404 NOT_FOUND')
    expect((await factorsOf(other)).authenticators).toEqual([one])
  })

  it('removes one of two and keeps the second factor on', async () => {
    const person = await somebody()
    await addFactor(person.client, clock, 'Phone')
    clock.advance(STEP)
    await addFactor(person.client, clock, 'Tablet')
    const [one] = (await factorsOf(person)).authenticators
    clock.advance(STEP)
    await person.client.call(mfa.remove, { params: { id: one?.id ?? '' } })
    expect(await factorsOf(person)).toMatchObject({ enabled: true, authenticators: [{ name: 'Tablet' }] })
    expect((await noticesTo(person)).at(-1)).toEqual(['factor-removed', 'Phone'])
  })

  it('switches the second factor off with the last one, recovery codes included', async () => {
    const person = await somebody()
    const { recoveryCodes } = await addFactor(person.client, clock)
    const [one] = (await factorsOf(person)).authenticators
    await person.client.call(mfa.remove, { params: { id: one?.id ?? '' } })
    expect(await factorsOf(person)).toEqual({ enabled: false, authenticators: [], recovery_codes_left: 0 })
    expect(await passwordStep(server, person)).toBe('')
    const body = { identifier: person.username, recovery_code: recoveryCodes[0] }
    expect((await post(server, '/api/user/mfa/recover', body)).status).toBe(403)
  })
})

describe('recovery codes', () => {
  it('replaces them and refuses the earlier ones', async () => {
    const person = await somebody()
    const { recoveryCodes } = await addFactor(person.client, clock)
    const renewed = (await person.client.call(mfa.renewRecoveryCodes, {})).body.recovery_codes
    expect(renewed).toHaveLength(6)
    const signInWith = async (recovery_code: string | undefined) =>
      (await post(server, '/api/user/mfa/recover', { identifier: person.username, recovery_code })).status
    expect(await signInWith(recoveryCodes[0])).toBe(403)
    expect(await signInWith(renewed[0])).toBe(200)
    expect((await noticesTo(person)).map(([event]) => event)).toContain('recovery-codes-renewed')
  })

  it('has none to renew without a second factor', async () => {
    const { client } = await somebody()
    expect(await outcome(client.call(mfa.renewRecoveryCodes, {}))).toBe('404 NOT_FOUND')
  })
})

describe('switching the second factor off', () => {
  it('takes a code or a recovery code', async () => {
    for (const kind of ['code', 'recovery_code'] as const) {
      const person = await somebody()
      const { secret, recoveryCodes } = await addFactor(person.client, clock)
      clock.advance(STEP)
      const body = kind === 'code' ? { code: codeAt(secret, clock.now()) } : { recovery_code: recoveryCodes[3] ?? '' }
      await person.client.call(mfa.disable, { body })
      expect(await factorsOf(person)).toEqual({ enabled: false, authenticators: [], recovery_codes_left: 0 })
      expect((await noticesTo(person)).map(([event]) => event)).toContain('factor-removed')
    }
  })

  it('refuses a wrong code, a used code and no code', async () => {
    const person = await somebody()
    const { secret } = await addFactor(person.client, clock)
    const disable = (body: { code?: string; recovery_code?: string }) =>
      outcome(person.client.call(mfa.disable, { body }))
    expect(await disable({ code: '000000' })).toBe('403 CODE_REFUSED')
    expect(await disable({ code: codeAt(secret, clock.now()) })).toBe('403 CODE_REFUSED')
    expect(await disable({ recovery_code: 'aaaaaaaaaa' })).toBe('403 CODE_REFUSED')
    expect(await disable({})).toBe('400 INVALID_INPUT code,recovery_code')
    expect(await factorsOf(person)).toMatchObject({ enabled: true })
  })

  it('ends sign-ins that wait for the factor', async () => {
    const person = await somebody()
    const { secret, recoveryCodes } = await addFactor(person.client, clock)
    const token = await passwordStep(server, person)
    await person.client.call(mfa.disable, { body: { recovery_code: recoveryCodes[0] ?? '' } })
    clock.advance(STEP)
    const { body } = await post(server, '/api/user/mfa/auth', { token, code: codeAt(secret, clock.now()) })
    expect(body).toMatchObject({ code: 'SECOND_FACTOR_EXPIRED' })
  })
})

it('asks for a recovery address in the cloud edition before the factor is switched on', async () => {
  const cloud = await bootServer({ clock, settings: { BOWLINE_EDITION: 'cloud' } })
  const person = await cloud.setUpAccount()
  const { secret, recovery_codes } = (await person.client.call(mfa.generate, {})).body
  const body = { code: codeAt(secret, clock.now()), secret, recovery_codes }
  expect(await outcome(person.client.call(mfa.enable, { body }))).toBe('400 INVALID_INPUT recovery_email')
  await person.client.call(operations.users.update, {
    body: { recovery_email: 'ada@elsewhere.example', current_password: person.password },
  })
  expect(await outcome(person.client.call(mfa.enable, { body }))).toBe('200')
  await cloud.close()
})
