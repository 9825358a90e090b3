// A process of the product that a test may kill in any way. Its output is kept for failure messages.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Running {
  readonly pid: number
  readonly child: ChildProcess
  /** Everything on stdout and stderr so far (the last 100 KB). */
  output(): string
  /** How often it has logged an event, however long ago: of the output only the end is kept. */
  countOf(event: string): number
  /** Settles when it has exited and all its output has arrived. */
  readonly ended: Promise<Exit>
  /** Sends a signal and waits for the exit; sends SIGKILL when it has not exited within 30 s. */
  end(signal?: NodeJS.Signals): Promise<Exit>
}

const KEPT_CHARACTERS = 100_000
const KILL_AFTER_MS = 30_000

/** @throws {Error} when the program cannot be started */
export function run(command: readonly string[], options: SpawnOptions): Running {
  const [program = '', ...args] = command
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  const counts = new Map<string, number>()
  let line = ''
  const keep = (text: string): void => {
    output = (output + text).slice(-KEPT_CHARACTERS)
    const lines = (line + text).split('\n')
    line = lines.pop() ?? ''
    for (const [, event = ''] of lines.map((one) => /"ev":"([^"]+)"/.exec(one) ?? []))
      counts.set(event, (counts.get(event) ?? 0) + 1)
  }
  child.stdout?.setEncoding('utf8').on('data', keep)
  child.stderr?.setEncoding('utf8').on('data', keep)
  child.once('error', (error) => keep(String(error)))
  const ended = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
  return {
    pid: child.pid ?? 0,
    child,
    output: () => output,
    countOf: (event) => counts.get(event) ?? 0,
    ended,
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      const kill = setTimeout(() => {
        child.kill('SIGKILL')
        // A child process may keep the pipes open forever.
        for (const pipe of [child.stdout, child.stderr]) pipe?.destroy()
      }, KILL_AFTER_MS)
      const exit = await ended
      clearTimeout(kill)
      return exit
    },
  }
}
