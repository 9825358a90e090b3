// A private view of the machine: in a mount namespace of this process (unshare(1)) the user that runs the bench has
// /bin/sh, an empty home and a password, for sshd and agent alike. Nothing changes outside, and the view ends with the
// process. Needs root: so does an sshd that checks passwords.
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { constants, userInfo } from 'node:os'
import { join } from 'node:path'
import { run } from './site/child.ts'

const INSIDE = 'BENCH_HAS_OWN_VIEW'

export const hasOwnView = (): boolean => process.env[INSIDE] === '1'
export const mayHaveOwnView = (): boolean => process.geteuid?.() === 0

/** Runs this program again in a new mount namespace; resolves with its exit code. */
export function runInOwnView(): Promise<number> {
  const child = spawn('unshare', ['--mount', process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}

/**
 * Shows this process and its children a user database in which its own user has `/bin/sh` and this password, until the
 * result is disposed of.
 * @param folder for the home and for the copy of /etc that is shown; must be traversable by other users
 * @param hash the password's crypt(3) hash
 */
export async function showUser(folder: string, hash: string): Promise<AsyncDisposable> {
  if (!hasOwnView()) throw new Error('the user database may only be changed in a mount namespace of its own')
  const name = userInfo().username
  const [home, etc] = [join(folder, 'home'), join(folder, 'etc')]
  await mkdir(home, { mode: 0o700 })
  // The whole folder: a mount over a single file is lost when a process outside replaces that file.
  await run('cp', ['-a', '/etc', etc])
  const passwd = withShellAndHome(await readFile(join(etc, 'passwd'), 'utf8'), name, home)
  await writeFile(join(etc, 'passwd'), passwd)
  await writeFile(join(etc, 'shadow'), `${name}:${hash}:20000:0:99999:7:::\nsshd:!:20000::::::\n`, { mode: 0o600 })
  await run('mount', ['--bind', etc, '/etc'])
  // sshd refuses to start without its empty folder in /run.
  await run('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', '/run'])
  await mkdir('/run/sshd', { mode: 0o755 })
  return {
    async [Symbol.asyncDispose]() {
      // Lazily: an exiting process may still use them.
      for (const place of ['/run', '/etc']) await run('umount', ['--lazy', place])
    },
  }
}

/** passwd(5) with another home and `/bin/sh` for one user. Pure. @throws {Error} when the user is not in it */
export function withShellAndHome(passwd: string, user: string, home: string): string {
  let found = false
  const lines = passwd.split('\n').map((line) => {
    const fields = line.split(':')
    if (fields[0] !== user || fields.length !== 7) return line
    found = true
    return [...fields.slice(0, 5), home, '/bin/sh'].join(':')
  })
  if (!found) throw new Error(`/etc/passwd has no user ${user}`)
  return lines.join('\n')
}
