// A real Redis that is killed, stopped and filled.
import { systemClock } from '@bowline/base/clock'
import { type RedisServer, redisMissing, startRedis } from '@bowline/testkit/redis'
import { until } from '@bowline/testkit/until'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type Redis, RedisAway, connectRedis } from './redis.ts'

let server: RedisServer
const open: Redis[] = []
/** Makes the buckets of each test its own. */
let tests = 0
beforeAll(async () => {
  if (redisMissing() === undefined) server = await startRedis()
})
afterEach(() => {
  for (const redis of open.splice(0)) redis.close()
})
afterAll(() => server?.kill())

async function redis(url = server.url()): Promise<Redis> {
  tests += 1
  const made = await connectRedis({ url, prefix: `test${tests}:`, clock: systemClock, log: silentLog })
  open.push(made)
  return made
}

describe.skipIf(redisMissing())('Redis (needs the package redis-server)', () => {
  it('gives each bucket its tokens and no more, also when they are taken at once', async () => {
    const own = await redis()
    const taken = await Promise.all(Array.from({ length: 20 }, () => own.takeToken('a', 60_000, 5)))
    expect(taken.filter(Boolean)).toHaveLength(5)
    expect([await own.hasToken('a', 60_000, 5), await own.hasToken('b', 60_000, 5)]).toEqual([false, true])
    await own.refundToken('a', 60_000)
    expect([await own.takeToken('a', 60_000, 5), await own.takeToken('a', 60_000, 5)]).toEqual([true, false])
  })

  it('gives tokens back with time, and keeps no key for longer', async () => {
    const own = await redis()
    // Sent together, so that no token comes back between them.
    expect(await Promise.all([own.takeToken('a', 50, 1), own.takeToken('a', 50, 1)])).toEqual([true, false])
    await until(() => own.takeToken('a', 50, 1))
    await until(() => own.hasToken('a', 50, 1))
    // Redis forgets it by a clock of its own.
    await until(async () => (await server.command(`EXISTS test${tests}:rate:a`)) === ':0')
  })

  it('wakes those who are subscribed, before and after it was killed and started again', async () => {
    const [own, other] = [
      await redis(),
      await connectRedis({ url: server.url(), prefix: `test${tests}:`, clock: systemClock, log: silentLog }),
    ]
    open.push(other)
    let woken = 0
    other.onWake('nodes', () => (woken += 1))
    await until(async () => (await own.wake('nodes')) && woken > 0)
    await server.kill()
    await until(() => !own.isReady)
    expect(await own.wake('nodes')).toBe(false)
    await expect(own.takeToken('a', 1_000, 1)).rejects.toThrow(RedisAway)
    const before = woken
    await server.start()
    // Whoever may have missed something is woken.
    await until(() => woken > before, 20_000)
    const again = woken
    await until(async () => (await own.wake('nodes')) && woken > again, 20_000)
    expect(await own.takeToken('a', 1_000, 1)).toBe(true)
  })

  it('is left alone while it stands still, and used again when it goes on', async () => {
    const own = await redis()
    server.signal('SIGSTOP')
    await expect(own.takeToken('a', 60_000, 1)).rejects.toThrow(RedisAway)
    expect(own.isReady).toBe(false)
    server.signal('SIGCONT')
    await until(() => own.isReady, 20_000)
    expect(typeof (await own.takeToken('b', 60_000, 1))).toBe('boolean')
  })

  it('says that it cannot count when it has no memory left', async () => {
    const own = await redis()
    await server.command('CONFIG SET maxmemory 1')
    await expect(own.takeToken('a', 60_000, 1)).rejects.toThrow(RedisAway)
    await server.command('CONFIG SET maxmemory 0')
    expect(await own.takeToken('a', 60_000, 1)).toBe(true)
  })

  it('keeps a server from starting that it refuses, which is told which setting is wrong', async () => {
    const place = `Redis at 127.0.0.1 port ${server.port} refuses this server: `
    await expect(redis(server.url('wrong'))).rejects.toThrow(`${place}WRONGPASS`)
    await expect(redis(`redis://127.0.0.1:${server.port}`)).rejects.toThrow(
      'Check user and password of BOWLINE_REDIS_URL.',
    )
    await server.command('ACL SETUSER limited on >secret ~* +ping +hello +client')
    await expect(redis(`redis://limited:secret@127.0.0.1:${server.port}`)).rejects.toThrow(`${place}NOPERM`)
  })

  it('that is away when a server starts is used as soon as it is there', async () => {
    await server.kill()
    const own = await redis()
    expect(own.isReady).toBe(false)
    let woken = 0
    own.onWake('nodes', () => (woken += 1))
    await server.start()
    await until(async () => own.isReady && (await own.wake('nodes')) && woken > 1, 20_000)
    expect(await own.takeToken('a', 60_000, 1)).toBe(true)
  })
})
