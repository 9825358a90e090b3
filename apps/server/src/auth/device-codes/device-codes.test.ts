// Sign-in of programs by a code that a person approves, over HTTP with a manual clock.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { disable } from '../../administration/testing.ts'
import { hashOf } from '../../platform/secrets/hash.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'

const { auth, mfa, programs, users } = operations
let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  const settings = { BOWLINE_TRUSTED_PROXIES: '127.0.0.1', BOWLINE_PUBLIC_URL: 'https://bowline.example.com' }
  server = await bootServer({ clock, settings })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(() => clock.advance(60_000))

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const start = async (address = '192.0.2.1') =>
  (await server.client().call(programs.start, { body: { name: 'backup' }, ...from(address) })).body
const exchange = async (device_code: string) =>
  (await server.client().call(programs.token, { body: { device_code } })).body
const renew = async (refresh_token: string) =>
  (await server.client().call(programs.token, { body: { refresh_token } })).body
const decide = async (person: Person, user_code: string, approve = true) => {
  if (approve) await person.client.call(mfa.prove, { body: { current_password: person.password } })
  return person.client.call(programs.decide, { body: { user_code, approve } })
}
const describeCode = async (person: Person, user_code: string) =>
  (await person.client.call(programs.describe, { body: { user_code } })).body
const statusOf = async (token: string) =>
  (await server.fetch('/api/auth/user', { headers: { authorization: `Bearer ${token}` } })).status

/** Replaces all codes by those of strangers, the oldest first. */
const fill = async (source: (nth: number) => string, count: number = LIMITS.programCode.total): Promise<void> => {
  const system = server.database.system()
  await system.deleteFrom('program_codes').execute()
  const rows = Array.from({ length: count }, (_, nth) => ({
    device_hash: hashOf(`device ${nth}`),
    user_hash: hashOf(`user ${nth}`),
    name: 'x',
    source: source(nth),
    user_agent: '',
    created_at: new Date(clock.now() - 60_000 + nth),
    expires_at: new Date(clock.now() + 500_000 + nth),
  }))
  while (rows.length > 0) await system.insertInto('program_codes').values(rows.splice(0, 1_000)).execute()
}
const waiting = () => server.database.system().selectFrom('program_codes').select(['source', 'device_hash']).execute()
const isWaiting = async (code: string): Promise<boolean> =>
  (await waiting()).some(({ device_hash: hash }) => hash.equals(hashOf(code)))
/** Runs `work` while somebody else adds a code. `blocked`: how many wait for that. */
const whileLocked = (work: (blocked: () => Promise<number>) => Promise<void>): Promise<void> => {
  const system = server.database.system()
  return system.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(hashtext('program_codes'))`.execute(db)
    await work(async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::integer as n from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(system)
      return rows[0]?.n ?? 0
    })
  })
}

describe('sign-in of a program', () => {
  it('gets no token, and no new one, for an account that is disabled meanwhile', async () => {
    const person = await server.addPerson('disabled-meanwhile')
    const [first, second] = [await start('203.0.113.7'), await start('203.0.113.7')]
    await decide(person, first.user_code)
    clock.advance(first.interval * 1_000)
    const { token, refresh_token } = await exchange(first.device_code)
    await decide(person, second.user_code)
    clock.advance(second.interval * 1_000)
    await ada.client.call(mfa.prove, { body: { current_password: ada.password } })
    await disable(ada, person)
    await expect(exchange(second.device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
    await expect(renew(refresh_token)).rejects.toMatchObject({ status: 401 })
    expect(await statusOf(token)).toBe(401)
  })

  it('gets a token once a person has approved its code, and names the program in the list of sign-ins', async () => {
    const { device_code, user_code, verification_uri_complete, interval } = await start('203.0.113.4')
    expect(verification_uri_complete).toBe(`https://bowline.example.com/activate?code=${user_code}`)
    await expect(exchange(device_code)).rejects.toMatchObject({ code: 'CODE_PENDING' })
    const typed = user_code.toLowerCase().replace('-', ' ')
    expect(await describeCode(ada, typed)).toMatchObject({ name: 'backup', source: '203.0.113.4' })
    await decide(ada, typed)
    clock.advance(interval * 1_000)
    const { token, user, refresh_token } = await exchange(device_code)
    expect(user).toBe('ada')
    const { body } = await server.client(token).call(users.listSignIns, {})
    expect(body.find(({ current }) => current)).toMatchObject({ kind: 'program', browser: 'backup' })
    clock.advance(30 * 60_000)
    expect(await statusOf(token)).toBe(401)
    const renewed = await renew(refresh_token)
    expect(await statusOf(renewed.token)).toBe(200)
    const again = (await server.client(renewed.token).call(users.listSignIns, {})).body.find(({ current }) => current)
    expect(again).toMatchObject({ browser: 'backup' })
    await ada.client.call(users.endSignIn, { params: { id: again?.id ?? '' } })
    expect(await statusOf(renewed.token)).toBe(401)
    await expect(renew(renewed.refresh_token)).rejects.toMatchObject({ status: 401 })
  })

  it('gives one token for a code, however many ask at once', async () => {
    const { device_code, user_code } = await start('203.0.113.5')
    await decide(ada, user_code)
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => exchange(device_code)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('refuses to be asked too often, after a denial and after the end of the code', async () => {
    const [hasty, denied, late] = [await start('203.0.113.6'), await start('203.0.113.6'), await start('203.0.113.6')]
    await expect(exchange(hasty.device_code)).rejects.toMatchObject({ code: 'CODE_PENDING' })
    await expect(exchange(hasty.device_code)).rejects.toMatchObject({ code: 'CODE_TOO_FAST' })
    await decide(ada, denied.user_code, false)
    await expect(exchange(denied.device_code)).rejects.toMatchObject({ code: 'CODE_DENIED' })
    await expect(exchange(denied.device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
    await decide(ada, late.user_code)
    clock.advance(LIMITS.programCode.minutes * 60_000)
    await expect(exchange(late.device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
  })

  it('ends an approval when the person signs out everywhere before the program asks', async () => {
    const person = await server.addPerson('changer')
    const { device_code, user_code } = await start('203.0.113.7')
    await decide(person, user_code)
    await person.client.call(auth.endSessions, {})
    await expect(exchange(device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
  })

  it('is void once the sign-in that approved it has ended', async () => {
    const person = await server.addPerson('approver-who-leaves')
    const { device_code, user_code } = await start('203.0.113.17')
    await decide(person, user_code)
    const { body } = await server
      .client()
      .call(auth.login, { body: { username: person.username, password: person.password } })
    const own = (await person.client.call(users.listSignIns, {})).body.find(({ current }) => current)
    await server.client(body.token).call(users.endSignIn, { params: { id: own?.id ?? '' } })
    await expect(exchange(device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
  })

  it('takes the decision of one person only', async () => {
    const other = await server.addPerson('second-approver')
    const { device_code, user_code } = await start('203.0.113.8')
    await decide(ada, user_code)
    await expect(decide(other, user_code)).rejects.toMatchObject({ status: 404 })
    expect((await exchange(device_code)).user).toBe('ada')
  })

  it('asks people who have a second factor for a fresh proof before they approve', async () => {
    const person = await server.addPerson('with-factor')
    await server.database.system().updateTable('users').set({ mfa_enabled: true }).where('id', '=', person.id).execute()
    const { user_code } = await start('203.0.113.9')
    const approve = () => person.client.call(programs.decide, { body: { user_code, approve: true } })
    await expect(approve()).rejects.toMatchObject({ code: 'FRESH_PROOF_REQUIRED' })
    await decide(person, user_code, false)
  })
})

describe('codes of programs', () => {
  it('are bounded per source', async () => {
    const started = await Promise.allSettled(Array.from({ length: 30 }, () => start('198.51.100.20')))
    const waiting = started.filter(({ status }) => status === 'fulfilled').length
    expect(waiting).toBeLessThanOrEqual(LIMITS.programCode.perSource)
    await expect(start('198.51.100.21')).resolves.toBeDefined()
  })

  it('are bounded per network, so that one customer cannot use up those of everybody', async () => {
    const sources = Array.from({ length: 12 }, (_, nth) => `2001:db8:9:${nth.toString(16)}::1`)
    const started: PromiseSettledResult<unknown>[] = []
    for (const source of sources) {
      started.push(...(await Promise.allSettled(Array.from({ length: 20 }, () => start(source)))))
    }
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMITS.programCode.perNetwork)
    await expect(start('2001:db8:a::1')).resolves.toBeDefined()
  })

  it('make room in the network with the most when all together are too many', async () => {
    await fill((nth) => (nth % 2 === 0 ? '198.51.100.77' : `10.${nth >> 8}.${nth & 255}.1`))
    const { device_code } = await start('203.0.113.77')
    expect(await isWaiting(device_code)).toBe(true)
    const left = await waiting()
    expect(left.filter(({ source }) => source === '198.51.100.77').length).toBeLessThan(LIMITS.programCode.total / 2)
    expect(left.filter(({ source }) => source.startsWith('10.'))).toHaveLength(LIMITS.programCode.total / 2)
  })

  it('are pushed out by nobody who has one code in each of many networks', async () => {
    await fill((nth) => `2001:db8:${nth.toString(16)}::/64`)
    for (const address of ['198.51.100.20', '2a00:1:2:3::1', '2001:200::1']) {
      const { device_code } = await start(address)
      const others = Array.from({ length: 10 }, (_, nth) => `2001:db8:${(8_000 + nth).toString(16)}::1`)
      for (const other of others) await start(other)
      expect(await isWaiting(device_code)).toBe(true)
    }
    expect((await waiting()).length).toBeLessThanOrEqual(LIMITS.programCode.total)
  })

  it('take no connection of the database from signed-in people, however many are asked for at once', async () => {
    const sources = Array.from({ length: 120 }, (_, nth) => `203.0.${nth}.9`)
    let asked: Promise<PromiseSettledResult<unknown>[]> | undefined
    await whileLocked(async (blocked) => {
      asked = Promise.allSettled(sources.map((source) => start(source)))
      await until(async () => (await blocked()) > 0)
      await expect(ada.client.call(users.listSignIns, {})).resolves.toHaveProperty('body')
    })
    const refused = ((await asked) ?? []).filter((one) => one.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused) expect(reason).toMatchObject({ status: 429 })
  })

  it('are refused without waiting for others to a source that has too many', async () => {
    const source = '198.51.100.88'
    await fill(() => source, LIMITS.programCode.perSource)
    await whileLocked(() => expect(start(source)).rejects.toMatchObject({ status: 429 }))
  })

  it('cannot be guessed by a person: wrong codes are counted, also those at once', async () => {
    const person = await server.addPerson('guesser')
    const tries = await Promise.allSettled(Array.from({ length: 60 }, () => describeCode(person, 'BBBB-BBBB')))
    const statuses = tries.map((one) => (one.status === 'rejected' ? (one.reason as { status: number }).status : 200))
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(LIMITS.programCode.guessesPerHour)
    const { user_code } = await start('198.51.100.22')
    await expect(describeCode(person, user_code)).rejects.toMatchObject({ status: 429 })
    await expect(describeCode(ada, user_code)).resolves.toBeDefined()
  })
})
