// Messages between nodes on one database.
import { systemClock } from '@bowline/base/clock'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { redisMissing, startRedis } from '@bowline/testkit/redis'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../db/schema.ts'
import { listenTo } from '../db/listen.ts'
import { silentLog } from '../platform/log.ts'
import { type Redis, connectRedis } from '../platform/redis/redis.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { type NodeMessages, createNodeMessages } from './messages.ts'
import { WAKE_CHANNEL, newestMessage, readMessages, writeMessages } from './store.ts'

let test: TestDatabase
const clock = new ManualClock()
const running: (() => Promise<void>)[] = []
let missed = 0
beforeAll(async () => {
  test = await testDatabase()
})
afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop()
  missed = 0
})
afterAll(() => test.close())

async function node(
  id: string,
  apply: (body: JsonObject) => void = () => undefined,
  redis?: Redis,
): Promise<{ messages: NodeMessages; heard: JsonObject[] }> {
  const heard: JsonObject[] = []
  const messages = createNodeMessages({
    db: test.database.system(),
    clock,
    log: silentLog,
    node: id,
    apply(body) {
      heard.push(body)
      apply(body)
    },
    missed: () => (missed += 1),
    missedMessage: { type: 'missed' },
    waker: redis && {
      get isReady() {
        return redis.isReady
      },
      wake: () => redis.wake(WAKE_CHANNEL),
    },
  })
  await messages.start()
  redis?.onWake(WAKE_CHANNEL, () => messages.wake())
  running.push(() => messages.close())
  return { messages, heard }
}

describe('messages between nodes', () => {
  it('reach every other node once and in order, and never the one that wrote them', async () => {
    const [a, b, c] = [await node('a'), await node('b'), await node('c')]
    for (let number = 1; number <= 500; number += 1) a.messages.publish({ number })
    await until(() => {
      for (const { messages } of [b, c]) messages.wake()
      return b.heard.length >= 500 && c.heard.length >= 500
    })
    const numbers = Array.from({ length: 500 }, (_, index) => ({ number: index + 1 }))
    expect(b.heard).toEqual(numbers)
    expect(c.heard).toEqual(numbers)
    a.messages.wake()
    expect(a.heard).toEqual([])
  })

  it('are not skipped by a reader when several nodes write at the same time', async () => {
    const writers = [await node('a'), await node('b'), await node('c')]
    const reader = await node('reader')
    const looks = setInterval(() => reader.messages.wake(), 1)
    running.push(async () => clearInterval(looks))
    for (let number = 0; number < 300; number += 1) {
      for (const [from, { messages }] of writers.entries()) messages.publish({ from, number })
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until(() => reader.heard.length >= 900)
    for (const from of writers.keys()) {
      const numbers = reader.heard.filter((body) => body['from'] === from).map((body) => body['number'])
      expect(numbers).toEqual(Array.from({ length: 300 }, (_, index) => index))
    }
  })

  it('become visible in the order of their ids, also when the one with the smaller id is committed last', async () => {
    const db = test.database.system()
    const before = await newestMessage(db)
    const later = await db.transaction().execute(async (slow) => {
      await writeMessages(slow, 'slow', [{ from: 'slow' }], true)
      const written = writeMessages(db, 'quick', [{ from: 'quick' }], true)
      const waits = sql<{ one: number }>`select 1 as one from pg_locks
        where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
      await until(async () => (await waits.execute(db)).rows.length === 1)
      expect(await readMessages(db, before, 10)).toEqual([])
      return { written }
    })
    await later.written
    expect((await readMessages(db, before, 10)).map(({ node: from }) => from)).toEqual(['slow', 'quick'])
  })

  it('wake a node that listens, before its next look', async () => {
    const [a, b] = [await node('a'), await node('b')]
    running.push(listenTo(test.owner, WAKE_CHANNEL, () => b.messages.wake(), { clock: systemClock, log: silentLog }))
    a.messages.publish({ hello: 'b' })
    // The clock of the nodes stands still: nobody looks by himself.
    await until(() => b.heard.length === 1)
    expect(b.heard).toEqual([{ hello: 'b' }])
  })

  it('that the database refuses are left out, and the others are told', async () => {
    const [a, b] = [await node('a'), await node('b')]
    for (const text of ['before', 'no text in PostgreSQL: \0', 'after']) a.messages.publish({ text })
    await until(() => {
      b.messages.wake()
      return b.heard.length >= 2
    })
    expect(b.heard).toEqual([{ text: 'before' }, { text: 'after' }])
  })

  it('that cannot be applied do not keep a node from the next ones', async () => {
    const a = await node('a')
    const b = await node('b', ({ number }) => {
      if (number === 1) throw new Error('cannot be applied')
    })
    for (const number of [1, 2, 3]) a.messages.publish({ number })
    await until(() => b.heard.length >= 3 || (b.messages.wake(), false))
    expect(b.heard).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
  })

  it('count as missed by a node that has not looked for longer than they are kept', async () => {
    const { messages } = await node('sleeper')
    clock.advance(400_000)
    await until(() => missed > 0)
    messages.wake()
    expect(missed).toBe(1)
  })
})

describe.skipIf(redisMissing())('messages between nodes with Redis (needs the package redis-server)', () => {
  it('arrive by its wake-ups while it runs, without it, and when it is back; none is lost or told twice', async () => {
    const server = await startRedis()
    running.push(() => server.kill())
    const connect = async (): Promise<Redis> => {
      const parts = { url: server.url(), prefix: 'test:', clock: systemClock, log: silentLog }
      const redis = await connectRedis(parts)
      running.push(async () => redis.close())
      return redis
    }
    const own = await connect()
    const a = await node('a', undefined, own)
    const b = await node('b', undefined, await connect())
    // The clock of the nodes stands still: nobody looks by himself, and nobody listens to NOTIFY yet.
    a.messages.publish({ number: 1 })
    await until(() => b.heard.length === 1)
    running.push(listenTo(test.owner, WAKE_CHANNEL, () => b.messages.wake(), { clock: systemClock, log: silentLog }))
    await server.kill()
    await until(() => !own.isReady)
    a.messages.publish({ number: 2 })
    await until(() => b.heard.length === 2)
    await server.start()
    await until(() => own.isReady, 20_000)
    a.messages.publish({ number: 3 })
    await until(() => b.heard.length === 3)
    expect(b.heard).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
  })
})
