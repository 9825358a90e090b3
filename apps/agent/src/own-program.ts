// Command lines that start this program again, and its location: one executable in a bundle, scripts under Node in a
// checkout.
import { dirname, join } from 'node:path'
import { isSea } from 'node:sea'

/** Arguments that make the bundle's executable another program (bundled.ts), with its file in a checkout. */
export const PROGRAMS = { 'sftp-server': 'sftp/main.ts', pam: 'login/pam-main.ts' } as const
export type OtherProgram = keyof typeof PROGRAMS

/** The command line, without arguments. */
export function ownProgram(): [path: string, ...words: string[]] {
  if (isSea()) return [process.execPath]
  return [process.execPath, join(import.meta.dirname, 'main.ts')]
}

/** The command line of one of the small programs, without arguments. @param nodeFlags for it alone */
export function ownOtherProgram(name: OtherProgram, nodeFlags: readonly string[]): [path: string, ...words: string[]] {
  // Node takes this option from the arguments of such an executable at any position, and hides it from the program.
  if (isSea()) return [...ownProgram(), `--node-options=${nodeFlags.join(' ')}`, name]
  return [process.execPath, ...nodeFlags, join(import.meta.dirname, PROGRAMS[name])]
}

/**
 * Variables of this process that its other programs need in their otherwise empty environment: where Node caches
 * compiled modules, which makes a start from a checkout twice as fast.
 */
export function ownVariables(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** The folder of the bundle that this process runs from; undefined in a checkout. */
export function ownBundle(): string | undefined {
  return isSea() ? dirname(process.execPath) : undefined
}
