// Runs this host's programs, to completion or alongside a row.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { finish } from '../support/ssh.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ToolOptions {
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Milliseconds until it is killed; a minute by default. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 60_000
const SHOWN_CHARACTERS = 2_000

/** Starts a program; the environment is always the same, except for what the caller adds. */
export function start(command: readonly string[], options: ToolOptions = {}): ChildProcessWithoutNullStreams {
  const [program = '', ...args] = command
  return spawn(program, args, {
    cwd: options.cwd ?? '/',
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TERM: 'xterm-256color', ...options.env },
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
}

/** Runs a program to completion, whatever its exit code. */
export async function attempt(command: readonly string[], options: ToolOptions = {}): Promise<Ran> {
  const child = start(command, options)
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.input ?? '')
  const { code, stdout, stderr } = await finish(child)
  return { code, stdout: stdout.toString('latin1'), stderr }
}

/** Runs a program that must succeed. @throws {Error} with its output unless it exits with 0 */
export async function tool(command: readonly string[], options: ToolOptions = {}): Promise<Ran> {
  const ran = await attempt(command, options)
  if (ran.code !== 0) throw new Error(`${command.join(' ')} ended with ${ran.code}: ${ran.stderr}${ran.stdout}`)
  return ran
}

/** @throws {Error} when the outcome does not prove that the feature works */
export function must(works: boolean, outcome: unknown): void {
  if (!works) throw new Error(`it did not work: ${JSON.stringify(outcome).slice(0, SHOWN_CHARACTERS)}`)
}

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
