// How this program starts itself once more, and where it lies: one executable in a bundle, a script under Node in a
// checkout.
import { dirname, join } from 'node:path'
import { isSea } from 'node:sea'

/** The command line, without arguments. */
export function ownProgram(): [path: string, ...words: string[]] {
  if (isSea()) return [process.execPath]
  return [process.execPath, join(import.meta.dirname, 'main.ts')]
}

/** The folder of the bundle that this process runs from; undefined in a checkout. */
export function ownBundle(): string | undefined {
  return isSea() ? dirname(process.execPath) : undefined
}
