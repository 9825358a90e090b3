// The server's database, external or embedded, and its clock.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import { type Rates, databaseRates, ratesWithFallback, redisRates } from '../budgets/rates.ts'
import type { ServerConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { startEmbeddedPostgres } from '../db/embedded/supervisor.ts'
import type { Schema } from '../db/schema.ts'
import type { InstanceKeys } from '../instance/keys.ts'
import type { Log } from '../platform/log.ts'
import { type Redis, connectRedis } from '../platform/redis/redis.ts'
import { followClock } from '../platform/shared-clock.ts'

/** Connections of each pool. */
const POOL_SIZE = 10

/** Clock of the database, so that nothing expires earlier on one node than on another. */
export async function shareTime(
  own: Clock,
  database: Database,
  log: Log,
  onEnd: (ending: () => Promise<void>) => void,
): Promise<Clock> {
  const { clock, stop } = await followClock(
    own,
    () => database.now(),
    (ms) => log.warn('clock.differs', { ms }),
  )
  onEnd(() => Promise.resolve(stop()))
  return clock
}

/** What counts over all nodes, and the Redis that does so faster, where there is one. */
export interface Shared {
  readonly redis: Redis | undefined
  readonly rates: Rates
}

export interface SharedParts {
  readonly settings: ServerConfig['settings']
  readonly keys: Pick<InstanceKeys, 'derive'>
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
}

/**
 * Connects to Redis where one is set.
 * @throws {Error} when it refuses user or password
 */
export async function shareCounts(
  { settings: { BOWLINE_REDIS_URL: url }, keys, system, clock, log }: SharedParts,
  onEnd: (ending: () => Promise<void>) => void,
): Promise<Shared> {
  const inDatabase = databaseRates(system, clock)
  if (url === undefined) return { redis: undefined, rates: inDatabase }
  // Keys and channels of another installation on the same server have other names.
  const prefix = `bowline:${keys.derive('names in Redis').slice(0, 16)}:`
  const redis = await connectRedis({ url, prefix, clock, log })
  onEnd(() => Promise.resolve(redis.close()))
  return { redis, rates: ratesWithFallback(redisRates(redis), inDatabase) }
}

/** The external database of the settings, or the embedded one. */
export async function connect(
  { settings, dataFolder }: ServerConfig,
  log: Log,
  onFatal: ((error: Error) => void) | undefined,
  onEnd: (ending: () => Promise<void>) => void,
): Promise<Database> {
  let owner: Parameters<typeof openDatabase>[0]['owner']
  if (settings.BOWLINE_DATABASE_URL) owner = settings.BOWLINE_DATABASE_URL
  else {
    const embedded = await startEmbeddedPostgres({ dataDir: dataFolder, log, ...(onFatal ? { lost: onFatal } : {}) })
    onEnd(() => embedded.close())
    owner = embedded.connection
  }
  const database = await openDatabase({ owner, poolSize: POOL_SIZE, log })
  onEnd(() => database.close())
  return database
}
