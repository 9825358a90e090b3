// How this program starts itself once more, and where it lies: one executable in a bundle, scripts under Node in a
// checkout.
import { dirname, join } from 'node:path'
import { isSea } from 'node:sea'

/** What makes the bundle's executable serve files instead of being the agent (bundled.ts). */
export const SFTP_WORD = 'sftp-server'

/** The command line, without arguments. */
export function ownProgram(): [path: string, ...words: string[]] {
  if (isSea()) return [process.execPath]
  return [process.execPath, join(import.meta.dirname, 'main.ts')]
}

/** The command line of the program that serves files, without arguments. @param nodeFlags for it alone */
export function ownSftpProgram(nodeFlags: readonly string[]): [path: string, ...words: string[]] {
  // Node takes this one from the arguments of an executable like ours, wherever it stands, and hides it from the program.
  if (isSea()) return [...ownProgram(), `--node-options=${nodeFlags.join(' ')}`, SFTP_WORD]
  return [process.execPath, ...nodeFlags, join(import.meta.dirname, 'sftp/main.ts')]
}

/** The folder of the bundle that this process runs from; undefined in a checkout. */
export function ownBundle(): string | undefined {
  return isSea() ? dirname(process.execPath) : undefined
}
