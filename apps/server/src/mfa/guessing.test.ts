// Guessing and replaying codes: races over two server processes on one database, and budgets of guesses.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../testing/boot.ts'
import { type Factor, type PostOptions, addFactor, codeAt, passwordStep, post } from './testing.ts'

const STEP = 30_000
const MINUTE = 60_000
const AUTH = '/api/user/mfa/auth'
let clock: ManualClock
let server: BootedServer
let other: BootedServer
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  const settings = { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }
  server = await bootServer({ clock, settings })
  await server.setUpAccount()
  const reach = () => Promise.resolve(databaseUrl(server.owner))
  other = await bootServer({ clock, reach, settings: { ...settings, BOWLINE_SECRET_KEY: server.secretKey } })
})
afterAll(async () => {
  await other.close()
  await server.close()
})
beforeEach(() => clock.advance(120 * MINUTE))

async function somebody(): Promise<{ person: Person; factor: Factor }> {
  const person = await server.addPerson(`somebody-${(number += 1)}`)
  const factor = await addFactor(person.client, clock)
  clock.advance(STEP)
  return { person, factor }
}
const address = (i: number): string => `198.51.${Math.floor(i / 250)}.${(i % 250) + 1}`
const count = (statuses: readonly number[], status: number): number => statuses.filter((one) => one === status).length

describe('replay', () => {
  it('passes exactly one of fifty equal codes at once over two servers', async () => {
    const { person, factor } = await somebody()
    const tokens: string[] = []
    for (let i = 0; i < 50; i += 1) tokens.push(await passwordStep(server, person, { from: address(i) }))
    const code = codeAt(factor.secret, clock.now())
    // Each from a source known to the account, so that only the step can refuse them.
    const at = new Date(clock.now())
    await server.database
      .system()
      .insertInto('known_sources')
      .values(tokens.map((_, i) => ({ user_id: person.id, source: address(i), last_seen: at })))
      .execute()
    const answers = await Promise.all(
      tokens.map((token, i) => post(i % 2 ? other : server, AUTH, { token, code }, { from: address(i) })),
    )
    const statuses = answers.map(({ status }) => status)
    expect([count(statuses, 200), count(statuses, 401)]).toEqual([1, 49])
  })

  it('refuses a code again, and the code of the step before', async () => {
    const { person, factor } = await somebody()
    const before = codeAt(factor.secret, clock.now())
    clock.advance(STEP)
    const code = codeAt(factor.secret, clock.now())
    const statuses = []
    for (const one of [code, code, before]) {
      statuses.push((await post(server, AUTH, { token: await passwordStep(server, person), code: one })).status)
    }
    expect(statuses).toEqual([200, 401, 401])
  })

  it('refuses at switching off, and as a proof, the code that has signed in', async () => {
    const { person, factor } = await somebody()
    const code = codeAt(factor.secret, clock.now())
    const { body } = await post(server, AUTH, { token: await passwordStep(server, person), code })
    const options = { token: String(body['token']) }
    expect((await post(server, '/api/user/mfa/disable', { code }, { ...options, method: 'PUT' })).status).toBe(403)
    expect((await post(server, '/api/user/mfa/proof', { code }, options)).status).toBe(403)
  })

  it('uses a recovery code once in twenty parallel uses over two servers', async () => {
    const { person, factor } = await somebody()
    const [recovery_code] = factor.recoveryCodes
    const uses = Array.from({ length: 20 }, (_, i) =>
      post(
        i % 2 ? other : server,
        '/api/user/mfa/recover',
        { identifier: person.username, recovery_code },
        {
          from: address(i),
        },
      ),
    )
    expect(
      count(
        (await Promise.all(uses)).map(({ status }) => status),
        200,
      ),
    ).toBe(1)
  })
})

/** Calls that check a code: the body of a wrong guess, and the status that it gets within the budget. */
interface Guessed {
  readonly name: string
  readonly status: number
  /** Makes guesses. */
  readonly guess: (
    person: Person,
  ) => Promise<(node: BootedServer, options: PostOptions) => Promise<{ readonly status: number }>>
}

const WRONG = { code: '000000' }
const GUESSED: readonly Guessed[] = [
  {
    name: 'the second step',
    status: 401,
    async guess(person) {
      const token = await passwordStep(server, person)
      return (node, options) => post(node, AUTH, { token, ...WRONG }, options)
    },
  },
  {
    name: 'the second step of a browser',
    status: 401,
    async guess(person) {
      const body = { token: await passwordStep(server, person), recovery_code: 'aaaaaaaaaa' }
      return (node, options) => post(node, '/api/auth/session/factor', body, options)
    },
  },
  {
    name: 'recovery',
    status: 403,
    guess: ({ username }) =>
      Promise.resolve((node, options) =>
        post(node, '/api/user/mfa/recover', { identifier: username, recovery_code: 'aaaaaaaaaa' }, options),
      ),
  },
  {
    name: 'the reset',
    status: 403,
    guess: ({ id }) =>
      Promise.resolve((node, options) =>
        post(
          node,
          `/api/user/mfa/reset/${id}`,
          { main_email_code: 'a', recovery_email_code: 'b' },
          {
            ...options,
            method: 'PUT',
          },
        ),
      ),
  },
  {
    name: 'switching off',
    status: 403,
    guess: ({ auth: { token } }) =>
      Promise.resolve((node, options) =>
        post(node, '/api/user/mfa/disable', WRONG, { ...options, token, method: 'PUT' }),
      ),
  },
  {
    name: 'a proof',
    status: 403,
    guess: ({ auth: { token } }) =>
      Promise.resolve((node, options) => post(node, '/api/user/mfa/proof', WRONG, { ...options, token })),
  },
  {
    name: 'adding an authenticator',
    status: 403,
    async guess({ client, auth: { token } }) {
      const { secret, recovery_codes } = (await client.call(operations.mfa.generate, {})).body
      return (node, options) =>
        post(node, '/api/user/mfa/enable', { ...WRONG, secret, recovery_codes }, { ...options, token, method: 'PUT' })
    },
  },
]

describe('budget', () => {
  it.each(GUESSED)('allows a source five of 60 guesses at once: $name', async ({ guess, status }) => {
    const { person } = await somebody()
    const send = await guess(person)
    const guesses = Array.from({ length: 60 }, (_, i) => send(i % 2 ? other : server, { from: '203.0.113.9' }))
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status)
    expect([count(statuses, status), count(statuses, 429)]).toEqual([5, 55])
  })

  it.each(GUESSED)('allows unknown sources twenty of 200 guesses at once: $name', async ({ guess, status }) => {
    const { person } = await somebody()
    const send = await guess(person)
    const guesses = Array.from({ length: 200 }, (_, i) => send(i % 2 ? other : server, { from: address(i) }))
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status)
    expect([count(statuses, status), count(statuses, 429)]).toEqual([20, 180])
  })

  it('says when guesses are checked again', async () => {
    const { person } = await somebody()
    const token = await passwordStep(server, person)
    let answer = await post(server, AUTH, { token, ...WRONG })
    for (let i = 0; i < 5; i += 1) answer = await post(server, AUTH, { token, ...WRONG })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '300'])
  })

  it('checks a right code again after five minutes, and later guesses do not extend that', async () => {
    const { person, factor } = await somebody()
    const token = await passwordStep(server, person)
    for (let i = 0; i < 5; i += 1) await post(server, AUTH, { token, ...WRONG })
    clock.advance(4 * MINUTE)
    const right = () => post(server, AUTH, { token, code: codeAt(factor.secret, clock.now()) })
    expect((await right()).status).toBe(429)
    clock.advance(MINUTE)
    expect((await right()).status).toBe(200)
  })

  it('does not count right codes', async () => {
    const { person, factor } = await somebody()
    for (let i = 0; i < 8; i += 1) {
      const token = await passwordStep(server, person)
      expect((await post(server, AUTH, { token, code: codeAt(factor.secret, clock.now()) })).status).toBe(200)
      clock.advance(STEP)
    }
  })

  it('does not lock the owner out at a known source while strangers guess', async () => {
    const { person, factor } = await somebody()
    const home = { from: '192.0.2.77' }
    const first = await passwordStep(server, person, home)
    await post(server, AUTH, { token: first, code: codeAt(factor.secret, clock.now()) }, home)
    clock.advance(STEP)
    const token = await passwordStep(server, person)
    for (let i = 0; i < 25; i += 1) await post(server, AUTH, { token, ...WRONG }, { from: address(i) })
    const recover = { identifier: person.username, recovery_code: 'aaaaaaaaaa' }
    for (let i = 0; i < 25; i += 1) await post(server, '/api/user/mfa/recover', recover, { from: address(i) })
    const code = codeAt(factor.secret, clock.now())
    expect((await post(server, AUTH, { token, code }, { from: '192.0.2.78' })).status).toBe(429)
    expect((await post(server, AUTH, { token, code }, home)).status).toBe(200)
    const [recovery_code] = factor.recoveryCodes
    const mine = { identifier: person.username, recovery_code }
    expect((await post(server, '/api/user/mfa/recover', mine, home)).status).toBe(200)
  })

  it('limits the guesses of one source for many names', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 25; i += 1) {
      const body = { identifier: `nobody-${i}`, recovery_code: 'aaaaaaaaaa' }
      statuses.push((await post(server, '/api/user/mfa/recover', body, { from: '203.0.113.200' })).status)
    }
    expect([count(statuses, 403), count(statuses, 429)]).toEqual([20, 5])
  })

  it('shows the owner failures and the limit', async () => {
    const { person } = await somebody()
    const token = await passwordStep(server, person)
    for (let i = 0; i < 7; i += 1) await post(server, AUTH, { token, ...WRONG })
    const { body } = await person.client.call(operations.users.listActivity, {})
    const counts = body.map(({ kind, count: times }) => [kind, times])
    expect(counts).toContainEqual(['factor.fail', 5])
    expect(counts).toContainEqual(['factor.guard', 2])
  })
})
