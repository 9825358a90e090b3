// The processes of the quickstart: started under this Node, ended with it.
import nodeFlags from '../node-flags.json' with { type: 'json' }
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export interface Child {
  /** Exit code; 1 when a signal ended it. */
  readonly ended: Promise<number>
  readonly process: ChildProcess
  /** SIGTERM, then SIGKILL after a timeout; resolves when it has ended. */
  stop(): Promise<void>
}

const KILL_AFTER_MS = 25_000
const ENDS_WITH_PARENT = join(import.meta.dirname, 'ends-with-parent.js')

/** @param quiet discards its output instead of passing it to stderr */
export function startChild(
  file: string,
  args: readonly string[],
  options: { quiet?: boolean; env?: Record<string, string | undefined>; flags?: readonly string[] } = {},
): Child {
  const output = options.quiet ? 'ignore' : 2
  const child = spawn(process.execPath, [...(options.flags ?? []), '--import', ENDS_WITH_PARENT, file, ...args], {
    stdio: ['ignore', output, output, 'ipc'],
    env: { ...process.env, ...options.env },
    // Ctrl-C reaches this process only, which ends the others in order.
    detached: true,
  })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
  return {
    ended,
    process: child,
    async stop() {
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
      await ended.catch(() => undefined)
      clearTimeout(kill)
    },
  }
}

/** The server's message to its parent once it listens. */
export interface Listening {
  readonly origin: string
  readonly sshPort: number
  readonly setupLink?: string
  readonly pin: string
  readonly reachable: boolean
  /** Address at which this machine reaches the listener, or `localhost`. */
  readonly listener: string
}

/** Starts the server and waits until it listens. Rejects when it ends before; the reason is on its stderr. */
export async function startServer(root: string): Promise<Listening & { server: Child }> {
  const level = process.env['BOWLINE_LOG_LEVEL'] ?? 'warn'
  const server = startChild(join(root, 'apps/server/src/main.ts'), ['server'], {
    env: { BOWLINE_LOG_LEVEL: level },
    flags: nodeFlags.server,
  })
  const listening = new Promise<Listening>((resolve) =>
    server.process.once('message', (message) => resolve(message as Listening)),
  )
  const ended = server.ended.then(() => Promise.reject(new Error('The server could not be started.')))
  return { ...(await Promise.race([listening, ended])), server }
}
