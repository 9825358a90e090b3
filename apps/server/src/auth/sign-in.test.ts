// Password sign-in and lockout over HTTP with a manual clock.
import { generateKeyPairSync } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testMailQueue } from '../mails/testing/queue.ts'
import { randomIds } from '../platform/ids.ts'
import { silentLog } from '../platform/log.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, PASSWORD, type Person, bootServer } from '../testing/boot.ts'
import { identifierKey } from './password-check.ts'
import { signIn } from './service.ts'
import { countFailure, findLock, saveLockout } from './store.ts'
import { createTokenIssuer } from './tokens.ts'

const MINUTE = 60_000
let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  ada = await server.setUpAccount()
  // Accounts that no operation can create yet.
  const users = server.database.system().insertInto('users')
  const { password_hash } = await server.database
    .system()
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', ada.id)
    .executeTakeFirstOrThrow()
  await users.values({ id: randomIds.user(), email: 'invited@example.com', status: 'invited' }).execute()
  const saml = { id: randomIds.user(), name: 'Sam', username: 'sam', email: 'saml@example.com', password_hash }
  await users.values({ ...saml, status: 'confirmed', origin: 'SAML', auth_methods: ['saml'] }).execute()
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.database.system().deleteFrom('login_attempts').execute()
  clock.advance(MINUTE)
})

interface Outcome {
  readonly status: number
  readonly lockout: string | null
  readonly mfa: string | null
  readonly body: unknown
}

async function attempt(password: string, options: { username?: string; from?: string } = {}): Promise<Outcome> {
  const { username = 'ada', from = '192.0.2.1' } = options
  const response = await server.fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ username, password }),
  })
  return {
    status: response.status,
    lockout: response.headers.get('x-account-lockout'),
    mfa: response.headers.get('x-mfa-token'),
    body: await response.json(),
  }
}

const wrong = (times: number, options: { username?: string; from?: string } = {}) =>
  Array.from({ length: times }).reduce<Promise<Outcome[]>>(
    async (before) => [...(await before), await attempt('wrong', options)],
    Promise.resolve([]),
  )

describe('sign-in', () => {
  it('signs in by username or e-mail address in any case and returns account and namespace', async () => {
    for (const username of ['ada', 'ADA', 'ada@example.com', 'Ada@Example.com']) {
      const { status, body } = await attempt(PASSWORD, { username })
      expect(status).toBe(200)
      expect(body).toMatchObject({
        user: 'ada',
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        recovery_email: '',
        origin: 'local',
        auth_methods: ['local'],
        tenant: ada.tenant,
        role: 'owner',
        mfa: false,
        max_namespaces: -1,
      })
    }
  })

  it('signs in through POST /api/auth/user', async () => {
    const body = JSON.stringify({ username: 'ada', password: PASSWORD })
    const headers = { 'content-type': 'application/json' }
    const response = await server.fetch('/api/auth/user', { method: 'POST', headers, body })
    expect([response.status, response.headers.get('x-account-lockout')]).toEqual([200, '0'])
  })

  it('issues a sign-in token for 72 hours', async () => {
    const { body } = await server
      .client()
      .call(operations.auth.login, { body: { username: 'ada', password: PASSWORD } })
    const [, claims = ''] = body.token.split('.')
    const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number; exp: number }
    expect(exp - iat).toBe(72 * 3_600)
    expect(iat).toBe(Math.floor(clock.now() / 1_000))
  })

  it('sends X-Account-Lockout and X-MFA-Token on every sign-in response', async () => {
    const right = await attempt(PASSWORD)
    const refused = await attempt('wrong')
    const unknown = await attempt('wrong', { username: 'nobody' })
    for (const { lockout, mfa } of [right, refused, unknown]) expect([lockout, mfa]).toEqual(['0', ''])
  })

  it('answers alike for a wrong password and an unknown user', async () => {
    const unknown = await attempt('wrong', { username: 'nobody' })
    expect(unknown).toEqual(await attempt('wrong'))
    expect(unknown).toMatchObject({ status: 401, body: { code: 'BAD_CREDENTIALS' } })
  })

  it('verifies a hash for unknown users as for known ones', async () => {
    const checked: (string | undefined)[] = []
    const passwords = {
      hash: () => Promise.reject(new Error('nothing is hashed here')),
      verify: () => Promise.reject(new Error('nothing but accounts is checked here')),
      check: (stored: string | undefined) => {
        checked.push(stored)
        return Promise.resolve({ matches: false })
      },
    }
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const deps = {
      db: server.database.system(),
      clock,
      log: silentLog,
      ids: randomIds,
      passwords,
      tokens: createTokenIssuer({ privateKey, publicKey }, clock),
      maximumLockoutMinutes: 60,
      refreshSecret: '',
      mails: testMailQueue(),
      isLocalSignInOn: () => Promise.resolve(true),
      secondSteps: () => Promise.resolve([]),
      linkProposed: () => Promise.resolve(undefined),
    }
    for (const username of ['nobody', 'invited@example.com', 'saml@example.com']) {
      const call = signIn(deps, { username, password: 'x' }, { source: '192.0.2.1', userAgent: '' })
      await expect(call).rejects.toMatchObject({ code: 'BAD_CREDENTIALS' })
    }
    expect(checked).toEqual([undefined, undefined, undefined])
  })

  it('refuses invited and SAML-only accounts like unknown ones', async () => {
    const unknown = await attempt(PASSWORD, { username: 'nobody' })
    expect(await attempt(PASSWORD, { username: 'invited@example.com' })).toEqual(unknown)
    expect(await attempt(PASSWORD, { username: 'saml@example.com' })).toEqual(unknown)
  })

  it('reveals an unconfirmed address only to a caller with the right password', async () => {
    await server.addPerson('grace')
    const users = server.database.system().updateTable('users')
    await users.set({ status: 'not-confirmed' }).where('username', '=', 'grace').execute()
    expect((await attempt('wrong', { username: 'grace' })).status).toBe(401)
    expect(await attempt(PASSWORD, { username: 'grace' })).toMatchObject({
      status: 403,
      body: { code: 'EMAIL_UNCONFIRMED' },
    })
  })

  it('prefers the owner of an e-mail address to an account with that username', async () => {
    const impostor = await server.addPerson('impostor')
    const victim = await server.addPerson('victim')
    const users = server.database.system().updateTable('users')
    await users.set({ username: 'victim@example.com' }).where('id', '=', impostor.id).execute()
    // Rewritten last, so that it would be found last.
    await users.set({ name: 'Victim' }).where('id', '=', victim.id).execute()
    const { status, body } = await attempt(PASSWORD, { username: 'victim@example.com' })
    expect([status, body]).toMatchObject([200, { id: victim.id }])
  })

  it('issues a token without a namespace to a person who has none', async () => {
    const lone = await server.addPerson('lone')
    await server.removeMember(lone.tenant, lone.id)
    expect(await attempt(PASSWORD, { username: 'lone' })).toMatchObject({ status: 200, body: { tenant: '', role: '' } })
  })

  it('limits the sign-in rate per source', async () => {
    const from = '203.0.113.9'
    // Three hashes, then a lock that costs none: the rate limit counts all of them.
    const answers = await wrong(101, { from })
    expect(answers.at(-2)).toMatchObject({ status: 429, body: { code: 'LOCKED_OUT' } })
    expect(answers.at(-1)).toMatchObject({ status: 429, lockout: '0', mfa: '', body: { code: 'TOO_MANY_REQUESTS' } })
    expect((await attempt(PASSWORD, { from: '203.0.113.10' })).status).toBe(200)
  })
})

describe('lockout', () => {
  const seconds = (outcome: Outcome | undefined) => Number(outcome?.lockout) - Math.floor(clock.now() / 1_000)

  it('locks a source out for the durations of the contract’s table', async () => {
    const [first, second, third] = await wrong(3)
    expect([first, second]).toMatchObject([
      { status: 401, lockout: '0' },
      { status: 401, lockout: '0' },
    ])
    expect([third?.status, seconds(third)]).toEqual([429, 60])
    let lockedSeconds = 60
    for (const expected of [4 * 60, 16 * 60, 60 * 60]) {
      clock.advance(lockedSeconds * 1_000)
      const [next] = await wrong(1)
      expect([next?.status, seconds(next)]).toEqual([429, expected])
      lockedSeconds = expected
    }
  })

  it('forgets failures after their expiry', async () => {
    await wrong(2)
    clock.advance(2 * MINUTE)
    expect((await wrong(2)).map(({ status }) => status)).toEqual([401, 401])
    await wrong(1)
    clock.advance(MINUTE)
    await wrong(1)
    clock.advance(10 * MINUTE)
    expect((await attempt('wrong')).status).toBe(401)
  })

  it('refuses the right password while locked, without extending the lock', async () => {
    const [, , third] = await wrong(3)
    clock.advance(30_000)
    const right = await attempt(PASSWORD)
    expect(right).toMatchObject({ status: 429, lockout: third?.lockout, body: { code: 'LOCKED_OUT' } })
    await wrong(5)
    clock.advance(30_000)
    expect((await attempt(PASSWORD)).status).toBe(200)
  })

  it('resets the failure count after the right password', async () => {
    await wrong(2)
    await attempt(PASSWORD)
    expect((await wrong(2)).map(({ status }) => status)).toEqual([401, 401])
  })

  it('locks out only the source that failed', async () => {
    await wrong(3)
    expect((await attempt(PASSWORD, { from: '192.0.2.2' })).status).toBe(200)
    expect((await attempt(PASSWORD)).status).toBe(429)
  })

  it('counts an IPv6 /64 as one source for the lockout', async () => {
    await wrong(3, { from: '2001:db8:1:2::1' })
    expect((await attempt(PASSWORD, { from: '2001:db8:1:2:ffff::9' })).status).toBe(429)
    expect((await attempt(PASSWORD, { from: '2001:db8:1:3::1' })).status).toBe(200)
  })

  it('locks unknown and ineligible names like known ones', async () => {
    const known = await wrong(4)
    expect(known.map(({ status }) => status)).toEqual([401, 401, 429, 429])
    for (const username of ['nobody', 'nobody@example.com', 'invited@example.com', 'saml@example.com']) {
      expect(await wrong(4, { username })).toEqual(known)
    }
  })

  it('counts failures of username and e-mail address separately', async () => {
    await wrong(3, { username: 'ada' })
    expect(await attempt('wrong', { username: 'ada@example.com' })).toMatchObject({ status: 401, lockout: '0' })
    expect(await attempt('wrong', { username: 'ADA' })).toMatchObject({ status: 429 })
  })

  it('stores no typed name in plain text', async () => {
    await wrong(3, { username: 'typed-a-password-here' })
    const rows = await server.database.system().selectFrom('login_attempts').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('typed-a-password-here')
  })

  it('locks out after three of twenty concurrent guesses', async () => {
    const guesses = await Promise.all(Array.from({ length: 20 }, () => attempt('wrong')))
    const free = guesses.filter(({ status }) => status === 401)
    expect(free.length).toBe(2)
    expect((await attempt(PASSWORD)).status).toBe(429)
  })

  it('refuses the right password among concurrent wrong guesses', async () => {
    const passwords = [...Array.from({ length: 20 }, (_, i) => `wrong${i}`), PASSWORD]
    const answers = await Promise.all(passwords.map((password) => attempt(password)))
    expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: 'LOCKED_OUT' } })
  })

  it('counts concurrent failures separately and keeps the lock of the latest', async () => {
    const db = server.database.system()
    const now = clock.now()
    const key = identifierKey('ada')
    const count = () => countFailure(db, '192.0.2.1', key, { now, rememberedUntil: now + 2 * MINUTE })
    const save = (attempts: number, minutes: number) => {
      const lockedUntil = now + minutes * MINUTE
      return saveLockout(db, '192.0.2.1', key, { attempts, lockedUntil, expiresAt: lockedUntil })
    }
    expect([await count(), await count(), await count(), await count()]).toEqual([1, 2, 3, 4])
    await save(4, 4)
    await save(3, 1)
    expect(await findLock(db, { source: '192.0.2.1', identifier: key, user: ada.id }, now)).toBe(now + 4 * MINUTE)
  })

  it('never locks with BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT=0', async () => {
    const open = await bootServer({ settings: { BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT: '0' } })
    try {
      await open.setUpAccount()
      const statuses: number[] = []
      for (let i = 0; i < 5; i += 1) {
        const body = JSON.stringify({ username: 'ada', password: 'wrong' })
        const headers = { 'content-type': 'application/json' }
        statuses.push((await open.fetch('/api/login', { method: 'POST', headers, body })).status)
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401])
    } finally {
      await open.close()
    }
  })
})

describe('limit over all sources', () => {
  const guessFromEverywhere = (count: number, username: string) =>
    Array.from({ length: count }).reduce<Promise<number[]>>(async (before, _, index) => {
      const statuses = await before
      const { status } = await attempt('wrong', { username, from: `198.18.${index >> 8}.${index & 255}` })
      return [...statuses, status]
    }, Promise.resolve([]))

  it('blocks unknown sources after 20 failures from many sources, but never a known source', async () => {
    const victim = await server.addPerson('victim-of-many')
    const { username } = victim
    await attempt(PASSWORD, { username, from: '192.0.2.50' })
    const statuses = await guessFromEverywhere(25, username)
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)])
    expect(await attempt(PASSWORD, { username, from: '203.0.113.80' })).toMatchObject({
      status: 429,
      lockout: String(Math.floor(clock.now() / 1_000) + 3_600),
      body: { code: 'LOCKED_OUT' },
    })
    expect((await attempt(PASSWORD, { username, from: '192.0.2.50' })).status).toBe(200)
    clock.advance(60 * MINUTE)
    expect((await attempt(PASSWORD, { username, from: '203.0.113.80' })).status).toBe(200)
  })

  it('limits guesses for an unknown name alike', async () => {
    const statuses = await guessFromEverywhere(25, 'still-nobody')
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)])
  })

  it('keeps the limit when the owner signs in', async () => {
    const { username } = await server.addPerson('busy-victim')
    await attempt(PASSWORD, { username, from: '192.0.2.51' })
    await guessFromEverywhere(20, username)
    await attempt(PASSWORD, { username, from: '192.0.2.51' })
    expect((await attempt('wrong', { username, from: '203.0.113.81' })).status).toBe(429)
  })

  it('allows only 20 of 60 concurrent guesses from different sources', async () => {
    const { username } = await server.addPerson('rushed-victim')
    const guesses = Array.from({ length: 60 }, (_, index) => attempt('wrong', { username, from: `198.19.0.${index}` }))
    const free = (await Promise.all(guesses)).filter(({ status }) => status === 401)
    expect(free).toHaveLength(20)
  })
})

describe('source of a sign-in', () => {
  it('ignores forwarding headers of untrusted callers', async () => {
    const direct = await bootServer()
    try {
      await direct.setUpAccount()
      const from = (address: string) =>
        direct.fetch('/api/login', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': address, 'x-real-ip': address },
          body: JSON.stringify({ username: 'ada', password: 'wrong' }),
        })
      const statuses = [await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.3')]
      expect(statuses.map(({ status }) => status)).toEqual([401, 401, 429])
    } finally {
      await direct.close()
    }
  })

  it('takes the nearest untrusted address of X-Forwarded-For as the source', async () => {
    await wrong(3, { from: '198.51.100.1, 192.0.2.77' })
    expect((await attempt(PASSWORD, { from: '192.0.2.77' })).status).toBe(429)
    expect((await attempt(PASSWORD, { from: '198.51.100.1' })).status).toBe(200)
  })
})
