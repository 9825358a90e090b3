// The agent's side of file transfer: permission check, and the command line of the program that serves it. An agent
// that transfers nothing only loads this.
import { basename } from 'node:path'
import type { Account } from '../login/account.ts'
import { ownOtherProgram } from '../own-program.ts'
import type { CommandLine } from '../native/command-line.ts'
import { encodeOrder } from './order.ts'

/** Transferred data is short-lived and outside of V8's heap: a small heap is enough. */
const NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64']

/** Usual login shells, for devices without shells(5). */
const USUAL_SHELLS = new Set(['sh', 'ash', 'bash', 'dash', 'ksh', 'mksh', 'zsh', 'fish', 'csh', 'tcsh'])
/** Listed in shells(5), but made to restrict users. */
const RESTRICTED = /^(?:r(?:bash|ksh|zsh|sh)|nologin|false|true|git-shell|scponly)$/

/** The program that serves an account's files; it starts with the agent's privileges and switches to the account. */
export function sftpProgram(account: Account): CommandLine {
  const [path, ...words] = ownOtherProgram('sftp-server', NODE_FLAGS)
  return { path, argv: [basename(path), ...words, encodeOrder(account)] }
}

/**
 * Whether an account that may log in may also access all its files: the shell would check any other command, and a
 * restricted shell must not be bypassed.
 * @param shells text of shells(5); undefined where there is none
 */
export function mayTransferFiles({ shell }: Account, shells: string | undefined): boolean {
  const name = basename(shell)
  if (RESTRICTED.test(name)) return false
  if (shells === undefined) return USUAL_SHELLS.has(name)
  return shells.split('\n').some((line) => line.trim() === shell)
}
