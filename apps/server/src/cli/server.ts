// `bowline server`: runs until a signal ends it. An unexpected error also ends it, by an orderly shutdown if possible:
// it never keeps running in an undefined state.
import { ConfigError } from '@bowline/contract/config'
import { systemClock } from '@bowline/base/clock'
import { readConfig } from '../config.ts'
import { CONSOLE_NOT_BUILT, isBuilt } from '../http/files/static.ts'
import { isLoopback } from '../platform/network/address.ts'
import { publicHost } from '../platform/network/public-host.ts'
import { productFolders } from '../platform/folders.ts'
import { randomIds } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { type RunningServer, startServer } from '../compose/server.ts'

/** Signals that stop the server. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** Time limit of an orderly shutdown, after the drain time of sessions. */
const CLOSE_MS = 20_000
/** Time limit of a shutdown after a failure. */
const FAILED_CLOSE_MS = 5_000

/** Starts the server; resolves once it listens. On failure exits the process with a message on stderr. */
export async function runServer(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const config = await readConfig(env).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) console.error(`bowline: ${problem}`)
    process.exit(2)
  })
  const log = createLog(config.settings.BOWLINE_LOG_LEVEL, 2)
  let running: RunningServer | undefined
  const die = (reason: unknown): void => {
    log.error('server.failed', { err: reason })
    const failed = running
    running = undefined
    // A second failure during shutdown, or one before there was anything to close.
    if (!failed) process.exit(1)
    void leave(failed)
  }
  process.on('uncaughtException', die)
  process.on('unhandledRejection', die)
  // The first process of a container ignores signals that it has no handler for.
  const quit = (): void => process.exit(1)
  if (process.pid === 1) for (const signal of SIGNALS) process.once(signal, quit)
  log.info('server.starting', { pid: process.pid, node: process.version })
  const server = await startServer({
    config,
    log,
    clock: systemClock,
    sharedTime: true,
    ids: randomIds,
    onFatal: die,
  }).catch((error: unknown) => {
    console.error(`bowline: ${explain(error)}`)
    return process.exit(1)
  })
  running = server
  const { origin, sshPort, setupLink } = server
  if (process.send) {
    // A parent that started this process with an IPC channel gets this as data and prints its own message.
    const reachable = !isLoopback(config.settings.BOWLINE_HOST)
    const listener = publicHost(config.settings.BOWLINE_HOST, undefined)
    process.send({ origin, sshPort, setupLink, pin: config.pin, reachable, listener })
  } else {
    console.log(`Bowline listens on ${origin} and, for ssh, on port ${sshPort}.`)
    if (!(await isBuilt(productFolders().console))) console.error(CONSOLE_NOT_BUILT)
    if (setupLink) console.log(`Create the first account: ${setupLink}`)
  }

  let closing = false
  const close = (signal: string): void => {
    if (closing) process.exit(1)
    closing = true
    log.info('server.draining', { signal })
    const drainMs = config.settings.BOWLINE_DRAIN_SECONDS * 1_000
    setTimeout(() => process.exit(1), drainMs + CLOSE_MS).unref()
    server.close().then(
      () => {
        log.info('server.stopped')
        process.exit(0)
      },
      (error: unknown) => die(error),
    )
  }
  for (const signal of SIGNALS) process.off(signal, quit).on(signal, () => close(signal))
}

/** Closes what can still be closed and exits with a failure status. */
async function leave(server: RunningServer): Promise<void> {
  setTimeout(() => process.exit(1), FAILED_CLOSE_MS).unref()
  await server.close().catch(() => undefined)
  process.exit(1)
}

/** Message for the most common causes that prevent a start. */
function explain(error: unknown): string {
  const { code, port } = (error ?? {}) as { code?: unknown; port?: number }
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use; BOWLINE_HTTP_PORT, BOWLINE_SSH_PORT and BOWLINE_ACME_HTTP_PORT set other ports.`
  }
  if (code === 'EACCES' && port !== undefined) {
    return `port ${port} needs root or the capability CAP_NET_BIND_SERVICE; BOWLINE_HTTP_PORT, BOWLINE_SSH_PORT and BOWLINE_ACME_HTTP_PORT set other ports.`
  }
  return error instanceof Error ? error.message : String(error)
}
