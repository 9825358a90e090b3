// Ways back in after a lost device: recovery codes, and codes mailed to both addresses.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { disable, enable, newAdministrator } from '../administration/testing.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailsTo } from '../mails/testing/outbox.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type Factor, addFactor, codeAt, passwordStep, post } from './testing.ts'

const STEP = 30_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const RECOVER = '/api/user/mfa/recover'
const RESET = '/api/user/mfa/reset'
let clock: ManualClock
let server: BootedServer
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_PUBLIC_URL: 'https://bowline.example.com' } })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(() => clock.advance(2 * HOUR))

async function somebody(): Promise<{ person: Person; factor: Factor; elsewhere: string }> {
  const person = await server.addPerson(`somebody-${(number += 1)}`)
  const elsewhere = `${person.username}@elsewhere.example`
  await person.client.call(operations.users.update, {
    body: { recovery_email: elsewhere, current_password: person.password },
  })
  const factor = await addFactor(person.client, clock)
  clock.advance(STEP)
  return { person, factor, elsewhere }
}

describe('sign-in with a recovery code', () => {
  it('works without a password, once, in any case, and says until when the code switches the factor off', async () => {
    const { person, factor } = await somebody()
    const code = factor.recoveryCodes[1] ?? ''
    const typed = `${code.slice(0, 5)}-${code.slice(5)}`.toUpperCase()
    const { status, headers, body } = await post(server, RECOVER, { identifier: person.username, recovery_code: typed })
    expect([status, body['user'], body['mfa']]).toEqual([200, person.username, true])
    expect(Number(headers.get('x-expires-at'))).toBe(Math.floor(clock.now() / 1_000) + 600)
    expect((await post(server, RECOVER, { identifier: person.username, recovery_code: code })).status).toBe(403)
    const mails = await mailsTo(server, person.auth.email, 'notice')
    expect(mails.map(({ values }) => values.event)).toContain('recovery-code-used')
    expect((await person.client.call(operations.mfa.get, {})).body.recovery_codes_left).toBe(5)
  })

  it('lets the used code switch the second factor off for ten minutes', async () => {
    for (const [minutes, expected] of [
      [9, 200],
      [10, 403],
    ] as const) {
      const { person, factor } = await somebody()
      const [recovery_code] = factor.recoveryCodes
      const { body } = await post(server, RECOVER, { identifier: person.auth.email, recovery_code })
      clock.advance(minutes * MINUTE)
      const options = { token: String(body['token']), method: 'PUT' }
      const { status } = await post(server, '/api/user/mfa/disable', { recovery_code }, options)
      expect([minutes, status]).toEqual([minutes, expected])
    }
  })

  it('answers alike for a wrong code, an unknown name and an account without a second factor', async () => {
    const { person } = await somebody()
    const plain = await server.addPerson(`somebody-${(number += 1)}`)
    const answers = []
    for (const identifier of [person.username, person.auth.email, plain.username, 'nobody', 'nobody@example.com']) {
      const { status, headers, body } = await post(server, RECOVER, { identifier, recovery_code: 'aaaaaaaaaa' })
      const own = ['date', 'x-request-id', 'connection', 'keep-alive']
      answers.push({ status, body, headers: [...headers].filter(([name]) => !own.includes(name)) })
    }
    expect(answers[0]).toMatchObject({ status: 403, body: { code: 'CODE_REFUSED' } })
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  it('limits guesses for unknown names like those for known ones', async () => {
    const { person } = await somebody()
    for (const identifier of [person.username, 'nobody-else']) {
      const statuses = []
      for (let i = 0; i < 6; i += 1) {
        statuses.push((await post(server, RECOVER, { identifier, recovery_code: 'aaaaaaaaaa' })).status)
      }
      expect([identifier, ...statuses]).toEqual([identifier, 403, 403, 403, 403, 403, 429])
    }
  })

  it('refuses the recovery code of another person', async () => {
    const [one, other] = [await somebody(), await somebody()]
    const [recovery_code] = other.factor.recoveryCodes
    expect((await post(server, RECOVER, { identifier: one.person.username, recovery_code })).status).toBe(403)
    expect((await post(server, RECOVER, { identifier: other.person.username, recovery_code })).status).toBe(200)
  })
})

describe('reset by mail', () => {
  const request = (identifier: string) => post(server, RESET, { identifier })
  const mailed = async (address: string) => (await mailsTo(server, address, 'reset-code')).at(-1)?.values
  const reset = (id: string, main: string, recovery: string) =>
    post(server, `${RESET}/${id}`, { main_email_code: main, recovery_email_code: recovery }, { method: 'PUT' })

  /** Requests a reset and waits for its mails. */
  async function codesOf({ person, elsewhere }: Awaited<ReturnType<typeof somebody>>) {
    await request(person.username)
    const recovery = await until(() => mailed(elsewhere))
    const main = await mailed(person.auth.email)
    return { main: main?.code ?? '', recovery: recovery?.code ?? '', link: recovery?.link ?? '' }
  }

  it('mails a code to each address, with a link of the public origin', async () => {
    const someone = await somebody()
    const { main, recovery, link } = await codesOf(someone)
    expect(link).toBe(`https://bowline.example.com/reset-mfa?id=${someone.person.id}`)
    for (const code of [main, recovery]) expect(code).toMatch(/^[a-z0-9]{10}$/)
    expect(main).not.toBe(recovery)
  })

  it('switches the second factor off with both codes and signs in', async () => {
    const someone = await somebody()
    const { main, recovery } = await codesOf(someone)
    const { status, body } = await reset(someone.person.id, main, recovery.toUpperCase())
    expect([status, body['user'], body['mfa']]).toEqual([200, someone.person.username, false])
    expect(await passwordStep(server, someone.person)).toBe('')
    const notices = await mailsTo(server, someone.person.auth.email, 'notice')
    expect(notices.map(({ values }) => values.event)).toContain('factors-reset')
  })

  it('refuses one right code, swapped codes, and the codes of another account', async () => {
    const [one, other] = [await somebody(), await somebody()]
    const [mine, theirs] = [await codesOf(one), await codesOf(other)]
    const { id } = one.person
    for (const [main, recovery] of [
      [mine.main, mine.main],
      [mine.recovery, mine.main],
      [theirs.main, theirs.recovery],
      [mine.main, theirs.recovery],
    ] as const) {
      expect((await reset(id, main, recovery)).status).toBe(403)
    }
    expect(await passwordStep(server, one.person)).not.toBe('')
  })

  it('takes the codes once in twenty parallel calls', async () => {
    const someone = await somebody()
    const { main, recovery } = await codesOf(someone)
    const answers = await Promise.all(Array.from({ length: 20 }, () => reset(someone.person.id, main, recovery)))
    const passed = answers.filter(({ status }) => status === 200)
    expect(passed).toHaveLength(1)
    // Sessions that the factor has protected end with it.
    expect(await outcome(someone.person.client.call(operations.mfa.get, {}))).toBe('401 UNAUTHORIZED')
    await addFactor(server.client(String(passed[0]?.body['token'])), clock)
    clock.advance(2 * HOUR)
    expect((await reset(someone.person.id, main, recovery)).status).toBe(403)
  })

  it('refuses the codes of an account that was disabled meanwhile, also once it is enabled', async () => {
    const someone = await somebody()
    const { main, recovery } = await codesOf(someone)
    const administrator = await newAdministrator(server, `admin-of-${someone.person.username}`)
    await disable(administrator, someone.person)
    await enable(administrator, someone.person)
    expect((await reset(someone.person.id, main, recovery)).status).toBe(403)
  })

  it('refuses the codes after a day', async () => {
    const someone = await somebody()
    const { main, recovery } = await codesOf(someone)
    clock.advance(24 * HOUR)
    expect((await reset(someone.person.id, main, recovery)).status).toBe(403)
  })

  it('keeps mailed codes when strangers ask again, and mails no more for ten minutes', async () => {
    const someone = await somebody()
    const { main, recovery } = await codesOf(someone)
    const other = await somebody()
    await request(someone.person.auth.email)
    // Requests are worked off in order: the mails of a later one show that the earlier one is done.
    await codesOf(other)
    expect(await mailsTo(server, someone.elsewhere, 'reset-code')).toHaveLength(1)
    expect((await reset(someone.person.id, main, recovery)).status).toBe(200)
  })

  it('answers alike whether account, second factor and recovery address exist', async () => {
    const { person } = await somebody()
    const plain = await server.addPerson(`somebody-${(number += 1)}`)
    await addFactor(plain.client, clock)
    const answers = []
    for (const identifier of [person.username, person.auth.email, plain.username, 'ada', 'nobody']) {
      const { status, headers, body } = await request(identifier)
      const own = ['date', 'x-request-id', 'connection', 'keep-alive']
      answers.push({ status, body, headers: [...headers].filter(([name]) => !own.includes(name)) })
    }
    expect(answers[0]).toMatchObject({ status: 200, body: {} })
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  it('answers alike for an unknown id and wrong codes', async () => {
    const someone = await somebody()
    await codesOf(someone)
    const known = await reset(someone.person.id, 'aaaaaaaaaa', 'bbbbbbbbbb')
    const unknown = await reset('0'.repeat(24), 'aaaaaaaaaa', 'bbbbbbbbbb')
    expect([known.status, known.body]).toEqual([403, unknown.body])
    expect(unknown.status).toBe(403)
  })
})

it('sweeps expired secrets, resets and counts of guesses', async () => {
  const { person } = await somebody()
  await person.client.call(operations.mfa.generate, {})
  await post(server, RECOVER, { identifier: person.username, recovery_code: 'aaaaaaaaaa' })
  const db = server.database.system()
  const rows = async () => [
    ...(await db.selectFrom('issued_secrets').select('expires_at').execute()),
    ...(await db.selectFrom('factor_guesses').select('expires_at').execute()),
    ...(await db.selectFrom('factor_resets').select('expires_at').execute()),
  ]
  expect((await rows()).length).toBeGreaterThan(1)
  clock.advance(25 * HOUR)
  // The clean-up runs every ten minutes.
  clock.advance(10 * MINUTE)
  await until(async () => (await rows()).length === 0)
  expect(await outcome(person.client.call(operations.auth.getUser, {}))).toBe('200')
})

it('finishes no waiting sign-in after a reset', async () => {
  const { person, factor, elsewhere } = await somebody()
  const token = await passwordStep(server, person)
  await post(server, RESET, { identifier: person.username })
  const recovery = await until(async () => (await mailsTo(server, elsewhere, 'reset-code')).at(-1)?.values.code)
  const main = (await mailsTo(server, person.auth.email, 'reset-code')).at(-1)?.values.code
  const codes = { main_email_code: main, recovery_email_code: recovery }
  await post(server, `${RESET}/${person.id}`, codes, { method: 'PUT' })
  const code = codeAt(factor.secret, clock.now())
  expect((await post(server, '/api/user/mfa/auth', { token, code })).status).toBe(401)
})
