// The sign-in of the command line at a server: a file of the account that nobody else can read.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Terminal } from '../terminal.ts'

const SavedSignIn = z.object({
  /** Origin of the server. */
  server: z.string(),
  token: z.string(),
  refresh_token: z.string(),
})
export type SavedSignIn = z.infer<typeof SavedSignIn>

/** Path of the file: `$XDG_CONFIG_HOME/bowline/sign-in.json`, by default below `~/.config`. */
export function signInFile({ env }: Pick<Terminal, 'env'>): string {
  const home = env['HOME']
  const folder = env['XDG_CONFIG_HOME'] || (home && join(home, '.config'))
  if (!folder) throw new Error('Neither HOME nor XDG_CONFIG_HOME is set: there is no place for the sign-in.')
  return join(folder, 'bowline', 'sign-in.json')
}

/** @throws {Error} naming the file when it is no sign-in. @returns undefined without a file */
export async function readSignIn(terminal: Pick<Terminal, 'env'>): Promise<SavedSignIn | undefined> {
  const file = signInFile(terminal)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return SavedSignIn.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${file} is not a sign-in: remove it and sign in again.`, { cause })
  }
}

/** Replaces the file at once: a refresh token works once, so half a file would end the sign-in. */
export async function saveSignIn(terminal: Pick<Terminal, 'env'>, signIn: SavedSignIn): Promise<void> {
  const file = signInFile(terminal)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, `${JSON.stringify(signIn)}\n`, { mode: 0o600 })
  await rename(fresh, file)
}

export async function removeSignIn(terminal: Pick<Terminal, 'env'>): Promise<void> {
  await rm(signInFile(terminal), { force: true })
}
