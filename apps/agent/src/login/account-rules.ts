// Checks that lock out an otherwise valid account, the same as sshd's.
import { readFileSync, statSync } from 'node:fs'
import type { Account } from './account.ts'
import type { Verdict } from './verdict.ts'

/** Files of nologin(5), and systemd's while the system starts or stops. PAM checks them itself. */
export const NOLOGIN_FILES: readonly string[] = ['/run/nologin', '/etc/nologin']
const NOLOGIN_TEXT = 'Logins are switched off on this device.'

type Refusal = Extract<Verdict, { denied: unknown }>

/** A login shell must exist and be executable: some accounts are disabled by an invalid one. */
export function shellRefusal({ shell }: Account): Refusal | undefined {
  const found = statSync(shell, { throwIfNoEntry: false })
  const mayRun = found?.isFile() && (found.mode & 0o111) !== 0
  return mayRun ? undefined : { denied: 'locked' }
}

/** While one of the files exists, everybody but root is refused with its text. */
export function nologinRefusal({ uid }: Account, files: readonly string[] = NOLOGIN_FILES): Refusal | undefined {
  if (uid === 0) return undefined
  for (const file of files) {
    try {
      return { denied: 'locked', told: readFileSync(file, 'utf8').trim() || NOLOGIN_TEXT }
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      // Its existence alone counts.
      if (!isMissing) return { denied: 'locked', told: NOLOGIN_TEXT }
    }
  }
  return undefined
}
