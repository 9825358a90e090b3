// Check of Redis: connects, signs in and counts once.
import { randomUUID } from 'node:crypto'
import { systemClock } from '@bowline/base/clock'
import type { ServerConfig } from '../config.ts'
import { silentLog } from '../platform/log.ts'
import { connectRedis, placeOf } from '../platform/redis/redis.ts'
import { type Finding, finding, reason } from './finding.ts'

/** A refusal keeps the server from starting; while Redis is away PostgreSQL does its work. */
export async function checkRedis({
  settings: { BOWLINE_REDIS_URL: url },
}: Pick<ServerConfig, 'settings'>): Promise<Finding[]> {
  if (url === undefined) return []
  const place = placeOf(url)
  try {
    const redis = await connectRedis({ url, prefix: 'bowline:check:', clock: systemClock, log: silentLog })
    try {
      if (!redis.isReady) {
        const remedy = 'Check BOWLINE_REDIS_URL and whether Redis runs. PostgreSQL does its work meanwhile.'
        return [finding('Redis', 'warn', `${place} does not answer.`, remedy)]
      }
      await redis.takeToken(randomUUID(), 1, 1)
      return [finding('Redis', 'ok', `${place} answers and counts.`)]
    } catch (error) {
      const remedy = 'Give it more memory, or check what else it is used for. PostgreSQL counts meanwhile.'
      return [finding('Redis', 'warn', `${place} does not count: ${reason(causeOf(error))}`, remedy)]
    } finally {
      redis.close()
    }
  } catch (error) {
    const [message = '', remedy = ''] = reason(error).split(/(?<=\.) (?=Check )/)
    return [finding('Redis', 'fail', message, remedy)]
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}
