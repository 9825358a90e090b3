// Guesses at pairing codes, and strangers who ask for many: over HTTP with a manual clock.
import { LIMITS } from '@bowline/contract/limits'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { until } from '@bowline/testkit/until'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashOf } from '../platform/secrets/hash.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { pairingCalls, unpaired } from './testing.ts'

const { guessesPerHour, guessesPerNetworkAndHour, perNetwork, perSource, total } = LIMITS.pairingCode
let clock: ManualClock
let server: BootedServer
let calls: ReturnType<typeof pairingCalls>
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  await server.setUpAccount()
  calls = pairingCalls(server, clock)
})
afterAll(() => server.close())
// Refills the rate limits of the sources.
beforeEach(() => clock.advance(300_000))

const newcomer = (): Promise<Person> => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const count = (ends: readonly string[], end: string): number => ends.filter((one) => one === end).length
const started = async (sources: readonly string[]): Promise<string[]> => {
  const ends: string[] = []
  for (const source of sources) ends.push(await outcome(calls.start(unpaired(), source)))
  return ends
}
const waiting = () => server.database.system().selectFrom('pairings').selectAll().execute()

/** Replaces all codes by those of strangers, the oldest first. */
async function fill(source: (nth: number) => string, size: number): Promise<void> {
  const system = server.database.system()
  await system.deleteFrom('pairings').execute()
  const rows = Array.from({ length: size }, (_, nth) => ({
    device_hash: hashOf(`device ${nth}`),
    code_hash: hashOf(`code ${nth}`),
    public_key: 'none',
    fingerprint: `SHA256:${nth}`,
    mac: '',
    hostname: 'x',
    info: {},
    signed_at: new Date(clock.now()),
    address: '192.0.2.1',
    source: source(nth),
    created_at: new Date(clock.now() - 60_000 + nth),
    expires_at: new Date(clock.now() + 500_000 + nth),
    polled_at: null,
    claimed_by: null,
    device_uid: null,
  }))
  while (rows.length > 0) await system.insertInto('pairings').values(rows.splice(0, 1_000)).execute()
}

describe('guesses at pairing codes', () => {
  it('are counted per person, also those at once, and then hide a right code', async () => {
    const guesser = await newcomer()
    const tries = await Promise.all(
      Array.from({ length: 2 * guessesPerHour }, (_, nth) => calls.tried(guesser, 'BBBB-BBBB', `10.1.${nth}.1`)),
    )
    expect(count(tries, '404 NOT_FOUND')).toBe(guessesPerHour)
    expect(count(tries, '429 TOO_MANY_REQUESTS')).toBe(guessesPerHour)
    const code = await calls.start(unpaired())
    expect(await calls.tried(guesser, code.user_code)).toBe('429 TOO_MANY_REQUESTS')
    expect(await outcome(calls.confirm(guesser, code.user_code, code.fingerprint))).toBe('429 TOO_MANY_REQUESTS')
    expect(await calls.tried(await newcomer(), code.user_code)).toBe('200')
  })

  it('are counted per network, whoever guesses from it', async () => {
    const size = Math.ceil(guessesPerNetworkAndHour / guessesPerHour) + 1
    const people = await Promise.all(Array.from({ length: size }, newcomer))
    const tries: string[] = []
    for (const [nth, person] of people.entries()) {
      const own = Array.from({ length: guessesPerHour }, () => calls.tried(person, 'BBBB-BBBB', `198.51.100.${nth}`))
      tries.push(...(await Promise.all(own)))
    }
    expect(count(tries, '404 NOT_FOUND')).toBe(guessesPerNetworkAndHour)
    const person = await newcomer()
    const code = await calls.start(unpaired())
    expect(await calls.tried(person, code.user_code, '198.51.100.99')).toBe('429 TOO_MANY_REQUESTS')
    expect(await calls.tried(person, code.user_code, '198.51.101.99')).toBe('200')
  })

  it('are not what a person makes who types right codes', async () => {
    const person = await newcomer()
    const code = await calls.start(unpaired())
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => calls.tried(person, code.user_code, '203.0.113.40')),
    )
    expect(count(tries, '200')).toBe(20)
    expect(count([await calls.tried(person, 'BBBB-BBBB', '203.0.113.40')], '404 NOT_FOUND')).toBe(1)
    expect(await outcome(calls.confirm(person, code.user_code, code.fingerprint))).toBe('200')
  })

  it('at the secret of an agent learn nothing', async () => {
    const ends = await Promise.all(Array.from({ length: 20 }, () => outcome(calls.poll(randomUUID()))))
    expect(new Set(ends)).toEqual(new Set(['400 CODE_EXPIRED']))
  })
})

describe('strangers who ask for codes', () => {
  it('get so many per source', async () => {
    const ends = await started(Array.from({ length: perSource + 5 }, () => '198.51.100.20'))
    expect(count(ends, '200')).toBe(perSource)
    expect(count(ends, '429 TOO_MANY_REQUESTS')).toBe(5)
    expect(await started(['198.51.100.21'])).toEqual(['200'])
  })

  it('get so many per network', async () => {
    await fill((nth) => `2001:db8:9:${(nth % 8).toString(16)}::/64`, perNetwork - 1)
    expect(await started(['2001:db8:9:a::1', '2001:db8:9:b::1', '2001:db8:a::1'])).toEqual([
      '200',
      '429 TOO_MANY_REQUESTS',
      '200',
    ])
  })

  it('push out none of others when all together are too many', async () => {
    await fill((nth) => (nth % 2 === 0 ? '198.51.100.77' : `10.${nth >> 8}.${nth & 255}.1`), total)
    const code = await calls.start(unpaired(), '203.0.113.77')
    const left = await waiting()
    expect(left.length).toBeLessThanOrEqual(total)
    expect(left.some((row) => row.device_hash.equals(hashOf(code.device_code)))).toBe(true)
    expect(left.filter(({ source }) => source.startsWith('10.'))).toHaveLength(total / 2)
  })

  it('cannot ask faster than so often, even when each code replaces the one before', async () => {
    const device = unpaired()
    const ends: string[] = []
    for (let nth = 0; nth < 65; nth += 1) ends.push(await outcome(calls.start(device, '203.0.114.40')))
    expect(count(ends, '429 TOO_MANY_REQUESTS')).toBeGreaterThan(0)
    const rows = (await waiting()).filter(({ address }) => address === '203.0.114.40')
    expect(rows).toHaveLength(1)
  })

  it('are told to wait when they ask too soon', async () => {
    const code = await calls.start(unpaired())
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_PENDING' })
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_TOO_FAST' })
    clock.advance(LIMITS.pairingCode.pollSeconds * 1_000)
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_PENDING' })
  })

  it('leave no rows behind', async () => {
    await calls.start(unpaired())
    expect((await waiting()).length).toBeGreaterThan(0)
    await until(async () => {
      clock.advance(600_000)
      return (await waiting()).length === 0
    })
  })
})
