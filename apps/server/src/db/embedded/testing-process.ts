// A server process for the supervisor's tests, to be killed or refused: `node testing-process.ts <data folder>`. Prints
// one JSON line when PostgreSQL is ready or cannot be started. Closes on SIGTERM; with `once` as the second argument it
// closes at once.
import { silentLog } from '../../platform/log.ts'
import { AlreadyRunning } from './failure.ts'
import { startEmbeddedPostgres } from './supervisor.ts'

const [dataDir = '', mode] = process.argv.slice(2)
try {
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, settings: { fsync: 'off' } })
  process.once('SIGTERM', () => void postgres.close())
  process.stdout.write(`${JSON.stringify({ ready: true, pid: postgres.pid, host: postgres.connection.host })}\n`)
  if (mode === 'once') await postgres.close()
} catch (error) {
  const holderPid = error instanceof AlreadyRunning ? error.holderPid : undefined
  process.stdout.write(`${JSON.stringify({ ready: false, error: String(error), holderPid })}\n`)
}
