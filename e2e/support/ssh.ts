// Runs this machine's `ssh` as a person would, with the password typed by sshpass.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { until } from './wait.ts'

export interface SshTarget {
  readonly host: string
  readonly port: number
  /** `user@namespace.device`. */
  readonly login: string
  readonly password: string
  /** Local address to connect from; default: ssh's choice. */
  readonly source?: string
}

export interface SshResult {
  /** Exit code of ssh; 255 when the connection failed; null when a signal killed ssh. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: Buffer
  readonly stderr: string
}

const OPTIONS = [
  ['StrictHostKeyChecking', 'no'],
  ['UserKnownHostsFile', '/dev/null'],
  ['LogLevel', 'ERROR'],
  ['PubkeyAuthentication', 'no'],
  ['KbdInteractiveAuthentication', 'no'],
  ['NumberOfPasswordPrompts', '1'],
  ['ConnectTimeout', '20'],
].flatMap(([name, value]) => ['-o', `${name}=${value}`])

/** Shows banners, which ssh hides at LogLevel ERROR. */
export const SHOWN: readonly string[] = ['-o', 'LogLevel=INFO']

/** Options that bind ssh to the target's `source` address. */
export function sourceOptions({ source }: SshTarget): string[] {
  return source === undefined ? [] : ['-o', `BindAddress=${source}`]
}

/** Starts ssh; stdin stays open until the caller ends it. */
export function startSsh(
  target: SshTarget,
  command: readonly string[],
  options: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): ChildProcessWithoutNullStreams {
  return spawn('sshpass', argumentsOf(target, command, options), { env: { ...environmentOf(target), ...env } })
}

/** Starts ssh in a terminal of the given size, which is its standard input and output. */
export function startSshInTerminal(
  target: SshTarget,
  command: readonly string[],
  { rows, columns }: { readonly rows: number; readonly columns: number },
  options: readonly string[] = [],
): ChildProcessWithoutNullStreams {
  const quoted = argumentsOf(target, command, ['-t', ...options]).map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  const line = `stty rows ${rows} columns ${columns}; exec sshpass ${quoted.join(' ')}`
  return spawn('script', ['-qec', line, '/dev/null'], { env: environmentOf(target) })
}

function argumentsOf(target: SshTarget, command: readonly string[], options: readonly string[]): string[] {
  const where = [...sourceOptions(target), '-p', String(target.port), `${target.login}@${target.host}`]
  // For a repeated option ssh uses the first value: the caller's.
  return ['-e', 'ssh', '-F', 'none', ...options, ...OPTIONS, ...where, ...command]
}

function environmentOf({ password }: SshTarget): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '', SSHPASS: password, LANG: 'C.UTF-8', TERM: 'xterm-256color' }
}

/** Copies files with scp; a path that begins with `host:` is on the device. */
export function scp(target: SshTarget, options: readonly string[], from: string, to: string): Promise<SshResult> {
  const where = ['-o', `User=${target.login}`, '-P', String(target.port)]
  const paths = [from, to].map((path) => path.replace(/^host:/, `${target.host}:`))
  const child = spawn('sshpass', ['-e', 'scp', '-F', 'none', ...options, ...OPTIONS, ...where, ...paths], {
    env: { PATH: process.env['PATH'] ?? '', SSHPASS: target.password, LANG: 'C.UTF-8' },
  })
  child.stdin.end()
  return finish(child)
}

/** Runs ssh to completion. */
export async function ssh(
  target: SshTarget,
  command: readonly string[],
  how: { input?: string | Uint8Array; options?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<SshResult> {
  const { input = '', options = [], env = {} } = how
  const child = startSsh(target, command, options, env)
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return finish(child)
}

/** Collects the output of a running ssh until it exits. */
export function finish(child: ChildProcessWithoutNullStreams): Promise<SshResult> {
  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stdout: Buffer.concat(stdout), stderr }))
  })
}

/** An ssh whose far end echoes each line: shows whether a session is alive. */
export interface EchoSession {
  /** Sends a line and waits for its echo. */
  echo(line: string): Promise<void>
  /** Closes stdin, which ends the session. */
  end(): void
  readonly result: Promise<SshResult>
}

/** Starts ssh with `cat` on the device and waits until it is running. */
export async function startEcho(target: SshTarget, options: readonly string[] = []): Promise<EchoSession> {
  const child = startSsh(target, ['echo ready; exec cat'], options)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdin.on('error', () => undefined)
  const result = finish(child)
  let ended: SshResult | undefined
  void result.then((outcome) => (ended = outcome))
  const echoed = (line: string): Promise<true> =>
    until(`the session says ${line}`, () => {
      if (output.includes(`${line}\n`)) return true
      if (ended) throw new Error(`ssh ended with ${ended.code}: ${ended.stderr}`)
      return false
    })
  await echoed('ready')
  return {
    async echo(line) {
      child.stdin.write(`${line}\n`)
      await echoed(line)
    },
    end: () => child.stdin.end(),
    result,
  }
}

/** One connection shared by many ssh commands (ssh_config(5), ControlMaster). */
export interface SharedConnection {
  /** Starts a command on its own channel; stdin stays open until the caller ends it. */
  start(command: string): ChildProcessWithoutNullStreams
  close(): Promise<SshResult>
}

/** Opens the connection and waits until it is ready. @param socket path that does not exist yet */
export async function shareConnection(target: SshTarget, socket: string): Promise<SharedConnection> {
  const master = startSsh(target, [], ['-M', '-S', socket, '-N', '-o', 'LogLevel=INFO'])
  const result = finish(master)
  let ended: SshResult | undefined
  void result.then((outcome) => (ended = outcome))
  await until('the shared connection is there', () => {
    if (ended) throw new Error(`ssh ended with ${ended.code}: ${ended.stderr}`)
    return existsSync(socket)
  })
  return {
    start: (command) => {
      // Without the master's socket it would open its own connection, which fails for lack of a password.
      const options = ['-F', 'none', '-S', socket, '-o', 'BatchMode=yes', ...OPTIONS, '-p', String(target.port)]
      return spawn('ssh', [...options, `${target.login}@${target.host}`, command])
    },
    close() {
      master.kill('SIGTERM')
      return result
    },
  }
}

/** Runs ssh with streams for input and output too large for memory. */
export async function pipeThrough(
  target: SshTarget,
  command: string,
  input?: Readable,
): Promise<{ code: number | null; stderr: string; bytes: number; sha256: string }> {
  const child = startSsh(target, [command])
  child.stdin.on('error', () => undefined)
  if (input) input.pipe(child.stdin)
  else child.stdin.end()
  const hash = createHash('sha256')
  let bytes = 0
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    hash.update(chunk)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stderr, bytes, sha256: hash.digest('hex') }
}

/** Runs ssh with a wrong password for every prompt; sshpass would give up after the first. */
export function guess(target: SshTarget, times: number, options: readonly string[] = []): Promise<SshResult> {
  const prompts = ['-o', `NumberOfPasswordPrompts=${times}`, '-o', 'LogLevel=INFO']
  const where = [...sourceOptions(target), '-p', String(target.port), `${target.login}@${target.host}`, 'true']
  // The program's own output is not a password.
  const child = spawn('setsid', ['--wait', 'ssh', '-F', 'none', ...options, ...prompts, ...OPTIONS, ...where], {
    env: { PATH: process.env['PATH'] ?? '', SSH_ASKPASS: '/bin/pwd', SSH_ASKPASS_REQUIRE: 'force' },
  })
  return finish(child)
}
