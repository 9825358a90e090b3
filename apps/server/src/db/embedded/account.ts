// Runs PostgreSQL's programs under an account, since PostgreSQL refuses uid 0. Invariant: the chosen account has run
// our copy of `postgres` once from the folder of the cluster, so that inaccessible parent folders are detected here.
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'

/**
 * `self`: our own account, not root. `user`: another account, by setuid. `namespace`: a user namespace in which our
 * account appears as `nobody`; on disk the files belong to our account.
 */
export type Account =
  | { readonly kind: 'self' }
  | { readonly kind: 'user'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'namespace' }

const NOBODY = 65_534

/** PostgreSQL inherits none of our environment, which holds secrets; PG* variables would alter its behaviour. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export interface FileOwner {
  readonly uid: number
  readonly gid: number
}

/** Owner of the files of a cluster run by `account`. */
export function fileOwner(account: Account): FileOwner {
  if (account.kind === 'user') return { uid: account.uid, gid: account.gid }
  return { uid: process.getuid?.() ?? NOBODY, gid: process.getgid?.() ?? NOBODY }
}

/**
 * Starts a program under an account, in its own session so that Ctrl-C at the terminal does not reach it.
 * @param folder working folder; the account must have search permission on all its parents
 */
export function spawnAs(
  account: Account,
  program: string,
  args: readonly string[],
  folder: string,
  stdio: StdioOptions,
): ChildProcess {
  const options = { cwd: folder, env: ENVIRONMENT, stdio, detached: true }
  if (account.kind === 'user') return spawn(program, args, { ...options, uid: account.uid, gid: account.gid })
  if (account.kind === 'namespace') {
    return spawn('unshare', ['--user', `--map-user=${NOBODY}`, '--', program, ...args], options)
  }
  return spawn(program, args, options)
}

/**
 * Runs a program to completion.
 * @returns exit status (null when it could not be started or was killed) and the end of its output
 */
export function runAs(
  account: Account,
  program: string,
  args: readonly string[],
  folder: string,
): Promise<{ status: number | null; output: string }> {
  const { promise, resolve } = Promise.withResolvers<{ status: number | null; output: string }>()
  const child = spawnAs(account, program, args, folder, ['ignore', 'pipe', 'pipe'])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-8_192)
    })
  }
  child.on('error', (error) => resolve({ status: null, output: error.message }))
  child.on('close', (status) => resolve({ status, output: output.trim() }))
  return promise
}
