// The server's database, external or embedded, and its clock.
import type { Clock } from '@bowline/base/clock'
import type { ServerConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { startEmbeddedPostgres } from '../db/embedded/supervisor.ts'
import type { Log } from '../platform/log.ts'
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
