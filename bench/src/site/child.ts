// Child processes of the bench: started without a shell, ended by their id, with stderr kept for failure messages.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/** A program that serves until it is stopped. */
export interface Server extends AsyncDisposable {
  readonly process: ChildProcess
  readonly pid: number
  /** The tail of its stderr so far. */
  said(): string
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  /** SIGTERM, and SIGKILL when it does not end; resolves when it has ended. */
  stop(): Promise<void>
}

/** Killed with this process when it is interrupted; stopped ones are removed. */
const living = new Set<ChildProcess>()
process.on('exit', () => living.forEach((child) => child.kill('SIGTERM')))

const EVENT_TIMEOUT_MS = 30_000
const KEPT_CHARACTERS = 20_000

/** Starts a program whose stdout is discarded. @throws {Error} when it cannot be started */
export async function startServer(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; ipc?: boolean } = {},
): Promise<Server> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
    env: options.env ?? process.env,
    // Ctrl-C is handled by the bench, which ends its children in order.
    detached: true,
  })
  living.add(child)
  child.once('exit', () => living.delete(child))
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-KEPT_CHARACTERS)))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  if (child.pid === undefined) throw new Error(`${command} has no process id`)
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const kill = setTimeout(() => child.kill('SIGKILL'), EVENT_TIMEOUT_MS)
    await ended
    clearTimeout(kill)
  }
  return { process: child, pid: child.pid, said: () => said, ended, stop, [Symbol.asyncDispose]: stop }
}

/** Waits for an event of a server. @throws {Error} with the server's output, when it ends or takes too long */
export async function orItsEnd<T>(server: Server, what: string, event: Promise<T>): Promise<T> {
  const timeout = new AbortController()
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${what}: not within ${EVENT_TIMEOUT_MS / 1_000} s. It said:\n${server.said()}`)),
      EVENT_TIMEOUT_MS,
    )
    timeout.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  const gone = server.ended.then(() => Promise.reject(new Error(`${what}: it has ended. It said:\n${server.said()}`)))
  try {
    return await Promise.race([event, gone, late])
  } finally {
    timeout.abort()
  }
}

export interface Finished {
  readonly stdout: Buffer
  /** From the start of the process until it has exited and its output is read. */
  readonly milliseconds: number
}

/** Runs a program to completion. @throws {Error} with its output, unless it exits with 0 */
export async function run(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<Finished> {
  const spawnOptions: SpawnOptions = { stdio: ['pipe', 'pipe', 'pipe'], env: options.env ?? process.env }
  const startedAt = performance.now()
  const child = spawn(command, args, spawnOptions)
  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin?.on('error', () => undefined).end(options.input ?? '')
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const milliseconds = performance.now() - startedAt
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${stderr.trim()}`)
  return { stdout: Buffer.concat(stdout), milliseconds }
}
