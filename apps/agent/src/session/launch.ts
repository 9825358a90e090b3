// Starts one process of a user with its terminal or its pipes. Synchronous; leaves either a running process or nothing.
import { chmodSync, chownSync, closeSync, readFileSync } from 'node:fs'
import type { Account } from '../login/account.ts'
import type { CommandLine } from '../native/command-line.ts'
import { openPipe, type Pipe } from '../native/descriptors.ts'
import { actingAs } from '../native/identity.ts'
import { openTerminal, setTerminalSize, TerminalSettings, type TerminalSize } from '../native/terminal.ts'
import { becoming, execWords, type Tools } from './become.ts'
import type { Child } from '../process/child.ts'
import { afterRc } from './rc/rc-files.ts'
import type { Starter } from '../process/start.ts'
import { applyTerminalModes, parseTerminalModes } from './terminal-modes.ts'

/** Bulk moves faster through larger pipes than the default 64 KiB. */
const PIPE_BYTES = 256 * 1024

export interface LaunchOptions {
  readonly account: Account
  readonly command: CommandLine
  /** Whether argv[0] of the command must be preserved. */
  readonly login: boolean
  /** Whether the command itself switches from the agent to the account. */
  readonly becomes: boolean
  /** Runs before the command, with the account's permissions. */
  readonly rc: CommandLine | undefined
  /** Tools that switch from the agent to the account. */
  readonly tools: Tools
  /** Starts the process as a child of the right parent. */
  readonly starter: Starter
  /** @param terminalPath path of the slave, when there is a terminal */
  readonly environment: (terminalPath: string | undefined) => readonly string[]
  /** Size and encoded modes (RFC 4254 section 8); without it the process gets pipes. */
  readonly terminal?: TerminalSize & {
    readonly modes: Uint8Array
    /** Called when the terminal is open, before anything runs on it. @param path of the slave */
    readonly opened: (path: string) => void
  }
}

/** A process and this side's descriptors, owned by the caller. */
export type Launched = { readonly child: Child } & (
  | { /** Master side. */ readonly terminal: number }
  | { readonly stdin: number; readonly stdout: number; readonly stderr: number }
)

/**
 * @throws {SystemError} when the process cannot be started; nothing is left open then
 */
export function launch(options: LaunchOptions): Launched {
  return options.terminal ? launchWithTerminal(options, options.terminal) : launchWithPipes(options)
}

function launchWithTerminal(options: LaunchOptions, wanted: NonNullable<LaunchOptions['terminal']>): Launched {
  const { master, path } = openTerminal()
  try {
    if (process.geteuid?.() === 0) giveTerminal(path, options.account)
    setTerminalSize(master, wanted)
    const settings = new TerminalSettings(master)
    applyTerminalModes(settings, parseTerminalModes(wanted.modes))
    settings.apply()
    wanted.opened(path)
    return { child: start(options, path, () => undefined), terminal: master }
  } catch (error) {
    closeSync(master)
    throw error
  }
}

/** write(1) and the like send through the group `tty`; without that group only the owner may. */
function giveTerminal(path: string, account: Account): void {
  ttyGroup ??= /^tty:[^:]*:(\d+):/m.exec(readFileSync('/etc/group', 'utf8'))?.[1] ?? ''
  chownSync(path, account.uid, ttyGroup === '' ? account.gid : Number(ttyGroup))
  chmodSync(path, ttyGroup === '' ? 0o600 : 0o620)
}
/** The id of that group; empty when there is none. */
let ttyGroup: string | undefined

function launchWithPipes(options: LaunchOptions): Launched {
  // Owned by the user, who may open them by name (/dev/stdout).
  const { input, output, errors } = actingAs(options.account, openPipes)
  const theirs = [input.read, output.write, errors.write] as const
  const ours = [input.write, output.read, errors.read] as const
  const [stdin, stdout, stderr] = ours
  try {
    const child = start(options, theirs, () => theirs.forEach((fd) => closeSync(fd)))
    return { child, stdin, stdout, stderr }
  } catch (error) {
    for (const fd of ours) closeSync(fd)
    throw error
  }
}

/** All three or none. */
function openPipes(): { input: Pipe; output: Pipe; errors: Pipe } {
  const opened: Pipe[] = []
  const open = () => {
    const pipe = openPipe(PIPE_BYTES)
    opened.push(pipe)
    return pipe
  }
  try {
    return { input: open(), output: open(), errors: open() }
  } catch (error) {
    for (const { read, write } of opened) [read, write].forEach((fd) => closeSync(fd))
    throw error
  }
}

function start(options: LaunchOptions, stdio: string | readonly [number, number, number], release: () => void): Child {
  const { account } = options
  const env = options.environment(typeof stdio === 'string' ? stdio : undefined)
  const searchPath = env.find((one) => one.startsWith('PATH='))?.slice('PATH='.length) ?? ''
  return options.starter({ ...commandLine(options, searchPath), env, stdio, user: account }, release)
}

/** @param searchPath the `PATH` that the command will have */
function commandLine(options: LaunchOptions, searchPath: string): CommandLine {
  const { account, command, login, becomes, rc, tools } = options
  if (becomes)
    return rc
      ? afterRc(becoming(account, rc, false, tools, searchPath), [command.path, ...command.argv.slice(1)])
      : command
  if (!rc) return becoming(account, command, login, tools, searchPath)
  return becoming(account, afterRc(rc, execWords(command, login, tools, searchPath)), false, tools, searchPath)
}
