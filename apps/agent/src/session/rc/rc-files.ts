// ~/.ssh/rc and /etc/ssh/sshrc, as sshd runs them (sshd(8), SSHRC): before the shell, the command or the program for files,
// with the person's rights and environment, in their home directory. What they read is the X11 cookie or nothing; what
// they print is the session's; how they end does not matter.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../../login/account.ts'
import type { CommandLine } from '../../native/command-line.ts'
import { actingAs } from '../../native/identity.ts'

const SHELL = '/bin/sh'
export const SYSTEM_RC = '/etc/ssh/sshrc'
/** What the file reads; out of the environment before anything of the person's runs. */
const INPUT = 'BOWLINE_RC_INPUT'

export interface RcOptions {
  /** Whether people's own files are run. */
  readonly permitUserRc: boolean
  /** Path of the system's file. */
  readonly systemRc: string
}

/**
 * The command line that runs the file: the person's own, through their shell, or else the system's.
 * @param subsystem then a person's own file is not run
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
 * A command line that runs `rc` to its end and becomes `next`.
 * @param rc its arguments are UTF-8
 * @param next words for execvp(3)
 */
export function afterRc(rc: CommandLine, next: CommandLine['argv']): CommandLine {
  const words = [rc.path, ...rc.argv.slice(1).map((argument) => Buffer.from(argument).toString())]
  // The cookie goes through a pipe: arguments can be read by everybody.
  const script = `set -- "$${INPUT}" "$@"; unset ${INPUT}; printf %s "$1" | ${words.map(quoted).join(' ')}; shift; exec "$@"`
  return { path: SHELL, argv: ['sh', '-c', script, 'sh', ...next] }
}

/** The variable for {@link afterRc}, as `NAME=value`. @param cookie of X11: protocol and cookie */
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

/** One word of sh(1), and of the shells that people use. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
