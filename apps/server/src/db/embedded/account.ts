// Running programs of PostgreSQL under an account: it refuses uid 0. Invariant: whatever is chosen has run our copy of `postgres` once
// from the folder of the cluster, so folders above that it cannot pass are found out here and not later.
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

/** PostgreSQL gets nothing of our environment: it holds secrets, and PG* variables would change what it does. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export interface FileOwner {
  readonly uid: number
  readonly gid: number
}

/** Who owns the files of a cluster that `account` runs. */
export function fileOwner(account: Account): FileOwner {
  if (account.kind === 'user') return { uid: account.uid, gid: account.gid }
  return { uid: process.getuid?.() ?? NOBODY, gid: process.getgid?.() ?? NOBODY }
}

/**
 * Starts a program under an account, in a session of its own so that Ctrl-C at the terminal does not reach it.
 * @param folder working folder; the account must be able to pass every folder above it
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
 * Runs a program to its end.
 * @returns its exit status (null when it could not be started or was killed) and the last of what it printed
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
