// What keeps an account out that is otherwise in order, as sshd looks at it.
import { readFileSync, statSync } from 'node:fs'
import type { Account } from './account.ts'
import type { Verdict } from './verdict.ts'

/** Of nologin(5), and where systemd keeps people out while the system starts or stops. PAM looks for itself. */
export const NOLOGIN_FILES: readonly string[] = ['/run/nologin', '/etc/nologin']
const NOLOGIN_TEXT = 'Logins are switched off on this device.'

type Refusal = Extract<Verdict, { denied: unknown }>

/** A login shell must be there and be a program: some accounts are closed by naming another. */
export function shellRefusal({ shell }: Account): Refusal | undefined {
  const found = statSync(shell, { throwIfNoEntry: false })
  const mayRun = found?.isFile() && (found.mode & 0o111) !== 0
  return mayRun ? undefined : { denied: 'locked' }
}

/** While one of the files exists everybody but root stays out, and is told its text. */
export function nologinRefusal({ uid }: Account, files: readonly string[] = NOLOGIN_FILES): Refusal | undefined {
  if (uid === 0) return undefined
  for (const file of files) {
    try {
      return { denied: 'locked', told: readFileSync(file, 'utf8').trim() || NOLOGIN_TEXT }
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      // It is there, and that alone counts.
      if (!isMissing) return { denied: 'locked', told: NOLOGIN_TEXT }
    }
  }
  return undefined
}
