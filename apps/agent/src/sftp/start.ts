// The agent's side of file transfer: who may have it, and the command line of the program that serves it. Only this is
// loaded by an agent that transfers nothing.
import { basename } from 'node:path'
import type { Account } from '../login/account.ts'
import { ownOtherProgram } from '../own-program.ts'
import type { CommandLine } from '../native/command-line.ts'
import { encodeOrder } from './order.ts'

/** What people transfer lives shortly and outside of V8's heap: a small one does. */
const NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64']

/** Shells of people, for devices that have no shells(5). */
const USUAL_SHELLS = new Set(['sh', 'ash', 'bash', 'dash', 'ksh', 'mksh', 'zsh', 'fish', 'csh', 'tcsh'])
/** Listed in shells(5), and yet made to keep people from doing what they like. */
const RESTRICTED = /^(?:r(?:bash|ksh|zsh|sh)|nologin|false|true|git-shell|scponly)$/

/** The program that serves an account's files; it starts with the agent's rights and becomes the account by itself. */
export function sftpProgram(account: Account): CommandLine {
  const [path, ...words] = ownOtherProgram('sftp-server', NODE_FLAGS)
  return { path, argv: [basename(path), ...words, encodeOrder(account)] }
}

/**
 * Whether an account that may log in may also have all its files: the shell would be asked for any other command, and
 * one that is there to hold people back must not be passed by.
 * @param shells text of shells(5); undefined where there is none
 */
export function mayTransferFiles({ shell }: Account, shells: string | undefined): boolean {
  const name = basename(shell)
  if (RESTRICTED.test(name)) return false
  if (shells === undefined) return USUAL_SHELLS.has(name)
  return shells.split('\n').some((line) => line.trim() === shell)
}
