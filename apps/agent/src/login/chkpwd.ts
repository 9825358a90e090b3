// Password check by Linux-PAM's helper `unix_chkpwd`, for systems without libcrypt. The password is passed on the
// helper's standard input, never in its arguments.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { OtherCheck } from './passwords.ts'

const PATHS = ['/usr/sbin/unix_chkpwd', '/sbin/unix_chkpwd', '/usr/lib/unix_chkpwd']

/** Undefined where the helper is not installed. Needs root to check users other than the agent's own. */
export function chkpwdCheck(paths: readonly string[] = PATHS): OtherCheck | undefined {
  const helper = paths.find((path) => existsSync(path))
  if (!helper) return undefined
  return (user, password) =>
    new Promise((resolve) => {
      // The helper reads up to the first NUL.
      if (password.includes('\0')) return resolve(false)
      const child = spawn(helper, [user, 'nonull'], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
      child.on('error', () => resolve(false))
      child.on('exit', (status) => resolve(status === 0))
      // A helper that stops reading reports failure by its status.
      child.stdin.on('error', () => {})
      child.stdin.end(`${password}\0`)
    })
}
