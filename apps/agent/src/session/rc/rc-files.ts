// ~/.ssh/rc and /etc/ssh/sshrc, run like sshd's (sshd(8), SSHRC): before the shell, the command or file transfer, with
// the user's permissions and environment, in their home directory. Their input is the X11 cookie or nothing; their
// output is the session's; their exit status is ignored.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../../login/account.ts'
import type { CommandLine } from '../../native/command-line.ts'
import { actingAs } from '../../native/identity.ts'

const SHELL = '/bin/sh'
export const SYSTEM_RC = '/etc/ssh/sshrc'
/** The file's input; removed from the environment before anything of the user's runs. */
const INPUT = 'BOWLINE_RC_INPUT'

export interface RcOptions {
  /** Whether users' own files are run. */
  readonly permitUserRc: boolean
  /** Path of the system's file. */
  readonly systemRc: string
}

/**
 * The command line that runs the file: the user's own, through their shell, or else the system's.
 * @param subsystem a user's own file is not run for subsystems
 * @returns undefined when there is no file to run
 */
export function rcCommand(account: Account, subsystem: boolean, options: RcOptions): CommandLine | undefined {
  const own = join(account.home, '.ssh/rc')
  if (!subsystem && options.permitUserRc && existsFor(account, own)) {
    return { path: account.shell, argv: [account.shell, '-c', `${SHELL} ${quoted(own)}`] }
  }
  if (existsFor(account, options.systemRc)) return { path: SHELL, argv: [SHELL, options.systemRc] }
  return undefined
}

/**
 * A command line that runs `rc` to completion and then executes `next`.
 * @param rc its arguments are UTF-8
 * @param next arguments for execvp(3)
 */
export function afterRc(rc: CommandLine, next: CommandLine['argv']): CommandLine {
  const words = [rc.path, ...rc.argv.slice(1).map((argument) => Buffer.from(argument).toString())]
  // The cookie is passed through a pipe: arguments are readable by every user.
  const script = `set -- "$${INPUT}" "$@"; unset ${INPUT}; printf %s "$1" | ${words.map(quoted).join(' ')}; shift; exec "$@"`
  return { path: SHELL, argv: ['sh', '-c', script, 'sh', ...next] }
}

/** The variable for {@link afterRc}, as `NAME=value`. @param cookie X11 protocol and cookie */
export function rcInput(cookie: string | undefined): string {
  return `${INPUT}=${cookie === undefined ? '' : `${cookie}\n`}`
}

function existsFor(account: Account, path: string): boolean {
  try {
    return actingAs(account, () => statSync(path, { throwIfNoEntry: false })) !== undefined
  } catch {
    return false
  }
}

/** Quotes one word for sh(1) and other common shells. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
